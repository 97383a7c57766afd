import Foundation
import StoreModel

// The iterators of StoreKit 2's endless sequences on this device.
extension StoreKitDevice {
  /// The iterators of StoreKit 2's endless sequences on this device.
  var updates: UpdateRegistry { engine.updates }

  /// Registers an iterator of `Transaction.updates`. The first one of a launch begins with all unfinished transactions.
  func registerTransactionUpdates() -> UpdateRegistration<TransactionUpdate> {
    let registration = updates.transactions.register()
    // Read after the registration, so that what is announced in between is in the buffer.
    registration.prepend(firstTransactionUpdates())
    return registration
  }

  private func firstTransactionUpdates() -> [TransactionUpdate] {
    stored { try $0.firstUpdates(withUnfinished: updates.listsUnfinished()).map { .stored($0) } }
  }

  private func stored<Element>(_ read: (PaymentJournal) throws -> [Element]) -> [Element] {
    do {
      return try read(journal)
    } catch {
      engine.listener.report(.journal("The payment queue's journal cannot be read: \(error)"))
      return []
    }
  }

  /// Takes over the iterators that were made before there was a device, with what this device has stored for them.
  func takeOverUpdates() {
    let taken = updates.takeOver(.withoutDevice)
    if taken.transactions { updates.transactions.send(firstTransactionUpdates()) }
    if taken.messages { updates.messages.send(stored { try $0.pendingMessages() }) }
    if taken.intents { updates.intents.send(stored { try $0.pendingIntents() }) }
  }

  /// Whether `Transaction.all` has finished consumables: if `SKIncludeConsumableInAppPurchaseHistory` in the app's
  /// Info.plist is true, or the environment variable `OPENSTOREKIT_CONSUMABLE_HISTORY` is 1.
  var includesConsumableHistory: Bool {
    ProcessInfo.processInfo.environment["OPENSTOREKIT_CONSUMABLE_HISTORY"] == "1"
      || Bundle.main.infoDictionary?["SKIncludeConsumableInAppPurchaseHistory"] as? Bool == true
  }
}

extension UpdateRegistry {
  /// The device of this registry; nil after it was released.
  var device: StoreKitDevice? { owner as? StoreKitDevice }
}
