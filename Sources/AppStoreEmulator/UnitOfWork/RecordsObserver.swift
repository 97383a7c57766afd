import GRDB

/// Notifies the listeners of ``StoreActivity`` of every commit that changes records.
///
/// It observes all tables, so a table that is added later is observed too. The store's own dates are no records: they are stored with
/// answers that change nothing else, and a listener would otherwise be notified of its own reads.
final class RecordsObserver: TransactionObserver {
  private let activity: StoreActivity
  /// Used by the writer only.
  private var isChanged = false

  /// The columns of the store's row that are not observed.
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
