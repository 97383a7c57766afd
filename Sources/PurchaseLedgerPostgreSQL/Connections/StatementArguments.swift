import CPQ
import PurchaseLedger

/// A statement's arguments in the form that libpq expects: in binary format, in one block of memory.
struct StatementArguments {
  /// The types of the values. Null values have no type; PostgreSQL infers it from the statement.
  let types: [Oid]
  private var bytes: [UInt8] = []
  private var places: [Int?] = []
  private var lengths: [Int32] = []

  init(_ arguments: [SQLValue]) throws(PostgreSQLFailure) {
    types = arguments.map(\.postgreSQLType)
    for (index, argument) in arguments.enumerated() {
      let place = bytes.count
      switch argument {
      case .null: break
      case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
      case .data(let data): bytes.append(contentsOf: data)
      case .text(let text):
        bytes.append(contentsOf: text.utf8)
        guard !bytes[place...].contains(0) else {
          throw PostgreSQLFailure(
            kind: .refused, reason: "argument $\(index + 1) has a NUL character, which PostgreSQL's text cannot hold")
        }
      }
      guard let length = Int32(exactly: bytes.count - place) else {
        throw PostgreSQLFailure(kind: .refused, reason: "argument $\(index + 1) is larger than 2 GB")
      }
      places.append(argument == .null ? nil : place)
      lengths.append(length)
    }
    // An empty array has no address, but libpq treats a null pointer as NULL, so an empty value needs an address.
    bytes.append(0)
  }

  /// - Parameter body: receives values, lengths and formats. The pointers are valid only during the call.
  func withPointers<Result>(
    _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { memory in
      let start = memory.baseAddress
      let values = places.map { place in place.flatMap { start?.advanced(by: $0).assumingMemoryBound(to: CChar.self) } }
      return body(values, lengths, [Int32](repeating: 1, count: values.count))
    }
  }
}

extension SQLValue {
  fileprivate var postgreSQLType: Oid {
    switch self {
    case .null: PostgreSQLType.unspecified
    case .integer: PostgreSQLType.int8
    case .text: PostgreSQLType.text
    case .data: PostgreSQLType.bytea
    }
  }
}
