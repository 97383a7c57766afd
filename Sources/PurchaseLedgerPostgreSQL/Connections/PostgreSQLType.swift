import CPQ
import PurchaseLedger

/// The PostgreSQL types of a ledger's values, by their numbers in `pg_type`, which never change.
enum PostgreSQLType {
  static let unspecified: Oid = 0
  static let bool: Oid = 16
  static let bytea: Oid = 17
  static let name: Oid = 19
  static let int8: Oid = 20
  static let int2: Oid = 21
  static let int4: Oid = 23
  static let text: Oid = 25
  static let unknown: Oid = 705
  static let varchar: Oid = 1043
  static let void: Oid = 2278

  /// Decodes a value; nil if the type or the number of bytes is not supported.
  static func value(_ bytes: UnsafeRawBufferPointer, of type: Oid) -> SQLValue? {
    switch type {
    case bool, int2, int4, int8: integer(bytes).map(SQLValue.integer)
    case text, varchar, name, unknown: .text(String(decoding: bytes, as: UTF8.self))
    case bytea: .data([UInt8](bytes))
    case void: .null
    default: nil
    }
  }

  /// Decodes a signed big-endian integer of 1 to 8 bytes.
  private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard let first = bytes.first, bytes.count <= 8 else { return nil }
    return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
  }
}
