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
    registration.prepend(firstUpdates(withUnfinished: updates.listsUnfinished(registration.buffer)))
    return registration
  }

  private func firstUpdates(withUnfinished: Bool) -> [TransactionUpdate] {
    reading { try $0.firstUpdates(withUnfinished: withUnfinished).map { .stored($0) } } ?? []
  }

  /// Reads the journal for a function of StoreKit that cannot throw. Errors are reported; the result is then nil.
  func reading<Value>(_ read: (PaymentJournal) throws -> Value) -> Value? { engine.reading(read) }

  /// The number of payments and transactions in the payment journal that are not finished at the store, by either StoreKit.
  /// StoreKit 2 does not show those that were confirmed in an earlier launch and have no outcome yet.
  package var openPaymentCount: Int { reading { try $0.entries().readable.count } ?? 0 }

  /// A payment that was confirmed, and has no outcome yet.
  package struct OpenPayment: Hashable, Sendable {
    /// Whether it was made by StoreKit 2. The payment queue does not show it.
    package let isOfStoreKit2: Bool
    package let productIdentifier: String
    package let quantity: Int
    /// Whether it waits for an approval.
    package let isDeferred: Bool
  }

  /// The payments of both StoreKits that were confirmed, also in earlier launches, and have no outcome yet. A second payment
  /// could charge the customer twice.
  package var openPayments: [OpenPayment] { reading { try $0.openPayments() } ?? [] }

  /// Takes over the iterators that were made before there was a device, with what this device has stored for them.
  func takeOverUpdates(of scope: DeviceScope) {
    let taken = updates.takeOver(scope.updates)
    if let first = taken.transactions.first {
      // All of them were there before the launch of the device.
      let updates = firstUpdates(withUnfinished: updates.listsUnfinished(first))
      for buffer in taken.transactions { buffer.prepend(updates) }
    }
    let messages = taken.messages.isEmpty ? nil : reading { try $0.pendingMessages() }
    for buffer in taken.messages { buffer.prepend(messages ?? []) }
    let intents = taken.intents.isEmpty ? nil : reading { try $0.pendingIntents() }
    for buffer in taken.intents { buffer.prepend(intents ?? []) }
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

extension SKPaymentQueue {
  /// The payments of this queue's device that were confirmed and have no outcome yet, also those of StoreKit 2, which
  /// ``transactions`` does not show.
  package final var openPayments: [StoreKitDevice.OpenPayment] { engine?.reading { try $0.openPayments() } ?? [] }
}

extension PaymentQueueEngine {
  /// See ``StoreKitDevice/reading(_:)``.
  nonisolated fileprivate func reading<Value>(_ read: (PaymentJournal) throws -> Value) -> Value? {
    do {
      return try read(journal)
    } catch {
      listener.report(.journal("The transactions on this device cannot be read: \(error)"))
      return nil
    }
  }
}

extension PaymentJournal {
  fileprivate func openPayments() throws -> [StoreKitDevice.OpenPayment] {
    try (payments() + deferredPayments()).compactMap { entry in
      let isDeferred: Bool
      switch entry.state {
      case .confirmed: isDeferred = false
      case .deferred: isDeferred = true
      default: return nil
      }
      return StoreKitDevice.OpenPayment(
        isOfStoreKit2: entry.isOfStoreKit2, productIdentifier: entry.payment.productID.rawValue,
        quantity: entry.payment.quantity, isDeferred: isDeferred)
    }
  }
}
