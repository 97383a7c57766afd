import GRDB

/// Notes every commit that changes something in the books.
///
/// It watches all tables, so that one that is added later is watched too. That time goes by is no change: every call
/// stamps the latest date, and whoever only looked would otherwise be told to look again.
final class RecordsObserver: TransactionObserver {
  private let activity: StoreActivity
  /// Touched only by the writer.
  private var isChanged = false

  /// What every call writes into the store's row.
  private static let stamps: Set = ["lastDate", "lastSignedDate"]

  init(_ activity: StoreActivity) { self.activity = activity }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    switch kind {
    case .update(StoreRow.databaseTableName, let columns): !columns.isSubset(of: Self.stamps)
    case .insert, .delete, .update: true
    }
  }

  func databaseDidChange(with event: DatabaseEvent) {
    isChanged = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ database: Database) {
    guard isChanged else { return }
    isChanged = false
    activity.note()
  }

  func databaseDidRollback(_ database: Database) { isChanged = false }
}
