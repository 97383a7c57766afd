import Foundation
import GRDB
import StoreModel

/// A change for an installation. `sequence` is the order in which the changes happened.
struct DeviceChangeRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "deviceChange"

  private var sequence: Int64?
  let installationID: InstallationID
  let kind: StoreChange.Kind
  let productIDs: [ProductID]

  init(_ change: StoreChange, for installation: InstallationID) {
    installationID = installation
    kind = change.kind
    productIDs = change.productIDs
  }

  var change: StoreChange { StoreChange(kind, productIDs: productIDs) }

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

  /// The cursor after the newest change.
  static func lastCursor(_ database: Database) throws -> ChangeCursor {
    ChangeCursor(
      rawValue: try Int64.fetchOne(
        try database.cachedStatement(
          sql: "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'deviceChange'")
      ) ?? 0)
  }
}
