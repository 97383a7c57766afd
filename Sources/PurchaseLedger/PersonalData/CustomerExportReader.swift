import Foundation
import StoreModel

/// Reads all data about a customer in pages, and writes it as the JSON of a ``CustomerExport``.
///
/// Only one page is in memory. Each page is read in its own short transaction, so a slow receiver does not keep a
/// transaction open. Rows that are added meanwhile may be missing.
public struct CustomerExportReader: Sendable {
  public let customer: CustomerID
  private let head: Head
  private let ledger: Ledger

  private struct Head: Encodable, Sendable {
    let customer: CustomerID
    let subject: String?
    let created: StoreDate
  }

  /// The number of bytes that are sent together.
  static let pieceBytes = 65_536
  /// The number of bytes of a receipt that are read at once. It is a multiple of 3, so that the parts' base64 has no padding.
  private static let receiptBytes = 49_152

  init(_ customer: CustomerID, subject: String?, created: StoreDate, ledger: Ledger) {
    self.customer = customer
    self.ledger = ledger
    head = Head(customer: customer, subject: subject, created: created)
  }

  /// Writes the JSON in pieces of about 64 KiB, in the order of the document.
  ///
  /// - Parameter send: sends a piece. The next pages are read when it returns.
  /// - Throws: the errors of `send`; ``LedgerError/unknownCustomer(_:)`` if the customer was erased or joined to another one
  ///   meanwhile; ``LedgerDatabaseError``.
  public func write(to send: (Data) async throws -> Void) async throws {
    // Without the closing brace.
    var piece = Data(try Self.encoder().encode(head).dropLast())
    var name: String?
    var isEmpty = true
    func begin(_ list: String) {
      guard list != name else { return }
      piece.append(contentsOf: Array("\(name == nil ? "" : "]"),\"\(list)\":[".utf8))
      (name, isEmpty) = (list, true)
    }
    func add(_ elements: Data) {
      guard !elements.isEmpty else { return }
      if !isEmpty { piece.append(UInt8(ascii: ",")) }
      isEmpty = false
      piece.append(elements)
    }
    func sendFull() async throws {
      guard piece.count >= Self.pieceBytes else { return }
      try await send(piece)
      piece = Data()
    }

    for list in CustomerExport.lists {
      begin(list.name)
      var cursor: ExportedList.Cursor? = list.first
      while let position = cursor {
        let page = try await page(of: list, after: position)
        add(page.elements)
        cursor = page.next
        try await sendFull()
      }
    }
    begin("receipts")
    var digest: ReceiptKey?
    while let receipt = try await receipt(after: digest) {
      digest = receipt.key
      // Without the closing brace, which follows the data.
      add(Data(try Self.encoder().encode(receipt.exported).dropLast() + Array(",\"data\":\"".utf8)))
      var position = 0
      while let part = try await part(of: receipt.key, from: position) {
        piece.append(contentsOf: part.base64EncodedData())
        position += part.count
        try await sendFull()
        if part.count < Self.receiptBytes { break }
      }
      piece.append(contentsOf: Array("\"}".utf8))
    }
    piece.append(contentsOf: Array("]}".utf8))
    try await send(piece)
  }

  private static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  // MARK: Pages

  /// Runs `body` in a read transaction, when all exports that wait have had their turns.
  private func reading<Value: Sendable, Result>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value, _ convert: (Value) throws -> Result
  ) async throws -> Result {
    let (ledger, customer) = (ledger, customer)
    return try await ledger.exportTurns.run(for: .page) {
      let value = try await ledger.readAccess { transaction in
        let known = try transaction.row(
          "SELECT id FROM customer WHERE id = $1 AND erased IS NULL AND joined_to IS NULL", customer)
        guard known != nil else { throw LedgerError.unknownCustomer(customer) }
        try transaction.expectScheduledPasses(of: customer)
        return try body(transaction)
      }
      // Encoding takes longer than reading. Within the turn, all exports together use one processor.
      return try convert(value)
    }
  }

  /// Returns the elements of a page, with commas between them.
  private func page(
    of list: ExportedList, after cursor: ExportedList.Cursor
  ) async throws -> (elements: Data, next: ExportedList.Cursor?) {
    let customer = customer
    return try await reading {
      try list.read($0, customer, cursor)
    } _: { page in
      let array = try Self.encoder().encode(page.elements.map(AnyElement.init))
      return (Data(array.dropFirst().dropLast()), page.next)
    }
  }

  private struct AnyElement: Encodable {
    let element: any Encodable

    init(_ element: any Encodable & Sendable) { self.element = element }

    func encode(to encoder: any Encoder) throws { try element.encode(to: encoder) }
  }

  // MARK: Receipts

  private struct ReceiptKey: Sendable {
    let app: BundleID
    let environment: StoreEnvironment
    let digest: String
  }

  /// A ``CustomerExport/Receipt`` without its data.
  private struct ExportedReceipt: Encodable, Sendable {
    let app: BundleID
    let environment: StoreEnvironment
    let digest: String
    let kind: String
    let stated: StoreDate
    let due: StoreDate
  }

  private func receipt(after key: ReceiptKey?) async throws -> (key: ReceiptKey, exported: ExportedReceipt)? {
    let customer = customer
    return try await reading { transaction in
      try transaction.row(
        """
        SELECT app, environment, digest, kind, stated, due FROM stored_proof
        WHERE customer = $1 AND (app, environment, digest) > ($2, $3, $4) ORDER BY app, environment, digest LIMIT 1
        """, customer, key?.app.rawValue ?? "", key?.environment.rawValue ?? "", key?.digest ?? "")
    } _: { row in
      guard let row else { return nil }
      let key = ReceiptKey(
        app: try row.identifier("app"), environment: try row.value("environment"), digest: try row.text("digest"))
      return (
        key,
        ExportedReceipt(
          app: key.app, environment: key.environment, digest: key.digest, kind: try row.text("kind"),
          stated: try row.date("stated"), due: try row.date("due"))
      )
    }
  }

  /// Returns a part of a receipt's data; nil if the receipt was deleted meanwhile.
  private func part(of key: ReceiptKey, from position: Int) async throws -> Data? {
    let customer = customer
    return try await reading { transaction in
      try transaction.row(
        """
        SELECT substr(data, CAST($5 AS INT), CAST($6 AS INT)) AS part FROM stored_proof
        WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4
        """, customer, key.app, key.environment, key.digest, position + 1, Self.receiptBytes)
    } _: { row in
      try row.map { Data(try $0.data("part")) }
    }
  }
}
