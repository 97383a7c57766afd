import StoreModel

/// A habit of Apple's store that surprises apps. A test can turn it on; by default, the store has none of them.
///
/// All of them were measured at Apple's store in 2026 by Kosikowski/swift-storekit (`spike/README.md`, `docs/05-testing.md`).
/// There they take up to a second; here they concern the first call, so that a test knows what comes.
public enum StoreHabit: String, Hashable, Sendable, CaseIterable {
  /// A new transaction is missing from the first list of entitlements that is read after its purchase.
  case lateEntitlement
  /// The first status that is read after a renewal is `expired`.
  case expiredAtRenewal
  /// `isEligibleForIntroOffer` keeps its first answer for a group.
  case firstEligibility
  /// An unfinished transaction arrives twice on `Transaction.updates`.
  case unfinishedTwice
}

/// The habits of the store as a device shows them, and what it has shown.
package final class StoreHabits: Sendable {
  private struct State: Sendable {
    var habits: Set<StoreHabit> = []
    /// The entitlements that were left out once.
    var listed: Set<TransactionID> = []
    /// The periods whose status was `expired` once.
    var renewed: Set<TransactionID> = []
    var eligibility: [SubscriptionGroupID: Bool] = [:]
    /// The transactions that have arrived twice.
    var repeated: Set<TransactionID> = []
  }

  private let state = LockedValue(State())

  init() {}

  /// The habits that are on. Setting them forgets what was shown.
  package var habits: Set<StoreHabit> {
    get { state.withLock { $0.habits } }
    set { state.withLock { $0 = State(habits: newValue) } }
  }

  /// The entitlements that a list shows.
  func listed(_ entitlements: [TransactionID]) -> [TransactionID] {
    state.withLock { state in
      guard state.habits.contains(.lateEntitlement) else { return entitlements }
      return entitlements.filter { !state.listed.insert($0).inserted }
    }
  }

  /// Whether a status is shown as expired.
  ///
  /// - Parameters:
  ///   - period: the transaction of the period.
  ///   - original: the first transaction of the subscription.
  func showsExpired(_ period: TransactionID, of original: TransactionID) -> Bool {
    state.withLock { state in
      guard state.habits.contains(.expiredAtRenewal), period != original else { return false }
      return state.renewed.insert(period).inserted
    }
  }

  /// Whether a customer is shown as eligible for an introductory offer.
  func eligibility(_ isEligible: Bool, in group: SubscriptionGroupID) -> Bool {
    state.withLock { state in
      guard state.habits.contains(.firstEligibility) else { return isEligible }
      let first = state.eligibility[group] ?? isEligible
      state.eligibility[group] = first
      return first
    }
  }

  /// Whether a transaction arrives once more.
  func repeats(_ transaction: TransactionID) -> Bool {
    state.withLock { state in
      guard state.habits.contains(.unfinishedTwice) else { return false }
      return state.repeated.insert(transaction).inserted
    }
  }
}
