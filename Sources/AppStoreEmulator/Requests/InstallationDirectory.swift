import Foundation
import GRDB
import StoreModel

/// Where an installation is at home.
struct Residence: Equatable, Sendable {
  let environment: StoreEnvironment
  let bundleID: BundleID
  /// Who is signed in.
  let account: AccountName?
}

/// What the store has looked up of installations, so that a call need not be looked up twice.
///
/// It watches the table: whoever changes an installation, by whatever way, finds it forgotten here once that is
/// committed. What was looked up in another epoch is not believed, because a reset or a restored backup exchanges the
/// table without a change that could be watched.
final class InstallationDirectory: TransactionObserver, @unchecked Sendable {
  private let lock = NSLock()
  private var residences: [InstallationID: Residence] = [:]
  private var epoch: StoreEpoch?
  /// How often everything was forgotten: what was read before is not kept.
  private var generation = 0
  /// Touched only by the writer.
  private var isChanged = false

  /// Enough for every test's devices; beyond it everything is looked up anew.
  private static let largestNumber = 10_000

  /// The residence kept for `installation`, or else the generation with which to keep what is looked up.
  func residence(of installation: InstallationID, epoch: StoreEpoch) -> (found: Residence?, generation: Int) {
    lock.withLock {
      if self.epoch != epoch {
        forget()
        self.epoch = epoch
      }
      return (residences[installation], generation)
    }
  }

  func keep(_ residence: Residence, of installation: InstallationID, generation: Int) {
    lock.withLock {
      guard self.generation == generation else { return }
      if residences.count >= Self.largestNumber { residences = [:] }
      residences[installation] = residence
    }
  }

  private func forget() {
    residences = [:]
    generation += 1
  }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == Installation.databaseTableName }

  func databaseDidChange(with event: DatabaseEvent) {
    isChanged = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ database: Database) {
    guard isChanged else { return }
    isChanged = false
    lock.withLock { forget() }
  }

  func databaseDidRollback(_ database: Database) { isChanged = false }
}

extension EmulatedAppStore {
  /// What is known of a device's call. Asks the books only of an installation that was not heard of since it changed.
  func facts(of call: some StoreCall, from installation: InstallationID) async throws -> RequestFacts {
    let subject = call.subject
    if subject.environment != nil, subject.bundleID != nil {
      return RequestFacts(type(of: call).verb, subject, from: installation, residence: nil)
    }
    let (found, generation) = installationDirectory.residence(of: installation, epoch: epoch)
    if let found { return RequestFacts(type(of: call).verb, subject, from: installation, residence: found) }
    let residence = try await database.read { database in
      try Installation.lookUp(["installationID": installation.rawValue], in: database).map {
        Residence(environment: $0.environment, bundleID: $0.bundleID, account: $0.account)
      }
    }
    if let residence { installationDirectory.keep(residence, of: installation, generation: generation) }
    return RequestFacts(type(of: call).verb, subject, from: installation, residence: residence)
  }
}
