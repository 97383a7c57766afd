import Foundation
import GRDB
import StoreModel

/// A change for an installation. `sequence` is the order in which the changes happened.
struct DeviceChangeRow: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "deviceChange"

  private var sequence: Int64?
  let installationID: InstallationID
  let kind: StoreChange.Kind
  let productIDs: [ProductID]
  let offer: PaymentOffer?

  /// - Parameter number: nil for the next one.
  init(_ change: StoreChange, for installation: InstallationID, number: Int64?) {
    (sequence, installationID) = (number, installation)
    kind = change.kind
    productIDs = change.productIDs
    offer = change.offer
  }

  var change: StoreChange { StoreChange(kind, productIDs: productIDs, offer: offer) }

  func append(to database: Database) throws {
    try database.cachedStatement(
      sql: "INSERT INTO deviceChange (sequence, installationID, kind, productIDs, offer) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [
      sequence, installationID.rawValue, kind.rawValue, productIDs.isEmpty ? "[]" : try Self.json(productIDs),
      try offer.map(Self.json),
    ])
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// The changes for `installation` after `cursor`, oldest first: at most 1,000. The device then asks for those after the
  /// new cursor.
  static func fetch(
    after cursor: ChangeCursor, of installation: InstallationID, in database: Database
  ) throws -> DeviceChanges {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM deviceChange WHERE installationID = ? AND sequence > ? ORDER BY sequence LIMIT 1000")
    let rows = try DeviceChangeRow.fetchAll(statement, arguments: [installation.rawValue, cursor.rawValue])
    return DeviceChanges(
      changes: rows.map(\.change), cursor: rows.last?.sequence.map(ChangeCursor.init(rawValue:)) ?? cursor)
  }

  /// Whether the cursor is the position of a change for `installation`.
  static func contains(
    _ cursor: ChangeCursor, of installation: InstallationID, in database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM deviceChange WHERE sequence = ? AND installationID = ?)")
    return try Bool.fetchOne(statement, arguments: [cursor.rawValue, installation.rawValue]) ?? false
  }

  /// Makes the sequence numbers of later changes larger than `number`.
  static func skip(to number: Int64, in database: Database) throws {
    guard number > (try lastCursor(database).rawValue) else { return }
    // SQLite adds the row with the first change.
    try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'deviceChange'")
    try database.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('deviceChange', ?)", arguments: [number])
  }

  /// The cursor after the newest change.
  static func lastCursor(_ database: Database) throws -> ChangeCursor {
    ChangeCursor(
      rawValue: try Int64.fetchOne(
        try database.cachedStatement(
          sql: "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'deviceChange'")
      ) ?? 0)
  }
}
