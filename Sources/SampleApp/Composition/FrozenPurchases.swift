import PurchaseKit
import StoreModel

/// Delivers purchases of credits that were kept because the credits were frozen, once the server recognises the device
/// again, for example after *Restore purchases*. The freeze of a vault ends only with a command, which delivers them.
struct FrozenPurchases: Sendable {
  private let manager: InAppPurchaseManager
  private let stores: [LedgerCreditStore]
  private let isWaiting = LockedValue(false)

  init(manager: InAppPurchaseManager, stores: [LedgerCreditStore]) {
    self.manager = manager
    self.stores = stores
  }

  /// Called when a transaction could not be delivered and was kept.
  func kept(_ error: (any Error)?) {
    guard case .frozen(let freeze)? = error as? CreditError, freeze.reason == .registrationLost else { return }
    isWaiting.value = true
    // The freeze may have ended meanwhile.
    Task { await deliver() }
  }

  /// Called when the balances were read.
  func deliver() async {
    guard isWaiting.value, stores.allSatisfy({ $0.freeze() == nil }) else { return }
    isWaiting.value = false
    await manager.deliverKept()
  }
}
