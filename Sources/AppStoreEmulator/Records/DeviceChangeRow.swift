import Foundation
import GRDB
import StoreModel

/// Something an installation is to hear of, in the order in which it happened.
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

  /// What happened to `installation` after `cursor`.
  static func fetch(
    after cursor: ChangeCursor, of installation: InstallationID, in database: Database
  ) throws -> DeviceChanges {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM deviceChange WHERE installationID = ? AND sequence > ? ORDER BY sequence")
    let rows = try DeviceChangeRow.fetchAll(statement, arguments: [installation.rawValue, cursor.rawValue])
    return DeviceChanges(
      changes: rows.map(\.change), cursor: rows.last?.sequence.map(ChangeCursor.init(rawValue:)) ?? cursor)
  }

  /// Where everything has been heard.
  static func lastCursor(_ database: Database) throws -> ChangeCursor {
    ChangeCursor(
      rawValue: try Int64.fetchOne(
        try database.cachedStatement(
          sql: "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'deviceChange'")
      ) ?? 0)
  }
}
