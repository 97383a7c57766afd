import GRDB
import StoreModel

/// Notifies the listeners of ``StoreActivity`` of every commit that changes records.
///
/// It observes all tables, so a table that is added later is observed too. A commit that changes only the store's own
/// dates is ignored. Read-only calls store such dates as well, so a listener would be notified of its own reads.
final class RecordsObserver: TransactionObserver, Sendable {
  private let activity: StoreActivity
  /// Only the database's writer uses it.
  private let isChanged = LockedValue(false)

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
    isChanged.value = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ database: Database) {
    guard isChanged.value else { return }
    isChanged.value = false
    activity.note()
  }

  func databaseDidRollback(_ database: Database) { isChanged.value = false }
}
