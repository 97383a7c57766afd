import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

extension TeaShop {
  /// Returns `snapshot` edited with SQL, as any SQLite program can.
  static func edited(_ snapshot: Data, _ edit: (Database) throws -> Void) throws -> Data {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "snapshot.sqlite")
    try snapshot.write(to: file)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    try queue.writeWithoutTransaction(edit)
    try queue.close()
    return try Data(contentsOf: file)
  }

  /// Returns the store's row, with its identity and epoch.
  func row() async throws -> StoreRow { try await store.database.read { try StoreRow.fetch($0.database) } }

  /// The columns that a restore changes.
  private static let changedByRestore: Set = ["isRegistered", "isFilledIn", "audience"]

  /// Returns the rows of all tables, except what a restore changes: the store's own row, the registrations, and whether
  /// events notify anybody.
  func trade() async throws -> [String: [String]] {
    try await store.database.read { work in
      let database = work.database
      return try Dictionary(
        uniqueKeysWithValues: (StoreTables.catalog + StoreTables.trade).map { table in
          (
            table,
            try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\" ORDER BY rowid")
              .map { $0.filter { column, _ in !Self.changedByRestore.contains(column) }.description }
          )
        })
    }
  }
}

extension [String: [String]] {
  /// Whether all rows equal those of `before`, except for new device changes and their events, which a restore adds.
  func isRestored(from before: Self) -> Bool {
    merging(before) { now, before in Array(now.prefix(before.count)) } == before
      && allSatisfy { ["deviceChange", "storeEvent"].contains($0.key) || $0.value.count == before[$0.key]?.count }
  }
}
