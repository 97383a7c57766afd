import Foundation
import PurchaseKit
import SampleModel
import StoreModel

/// Reports the steps of purchases, if the demo shows them.
final class StepReporter: Sendable {
  private let send: EventSender
  private let isOn: Bool

  init(send: EventSender, isOn: Bool) {
    self.send = send
    self.isOn = isOn
  }

  func callAsFunction(
    _ step: PurchaseStep, product: String? = nil, transaction: String? = nil, detail: String? = nil
  ) {
    guard isOn else { return }
    send(.step(StepReport(step, product: product, transaction: transaction, detail: detail)))
  }

  /// Reports the account that is signed in from now on; nil if no account is signed in.
  func account(_ name: String?) { if isOn { send(.account(name)) } }

  /// Returns deliveries that also report their outcomes.
  ///
  /// - Parameter isOwned: whether the app currently unlocks a product.
  func watching(
    _ deliveries: [any ProductDelivery], isOwned: @escaping @Sendable (String) -> Bool
  ) -> [any ProductDelivery] {
    isOn ? deliveries.map { StepDelivery(base: $0, steps: self, isOwned: isOwned) } : deliveries
  }

  /// Starts to report the transactions of the app's purchases. Must be called before the manager is started.
  func watch(_ manager: InAppPurchaseManager) {
    guard isOn else { return }
    let transactions = TransactionSteps(steps: self, earlier: Set(manager.openTransactions.map(\.id)))
    manager.watch { transactions.report($0) }
  }

  /// Starts to report completed downloads.
  func watch(_ downloads: ContentDownloads) {
    guard isOn else { return }
    let saved = SavedFiles(downloads: downloads, steps: self)
    _ = NotificationCenter.default.addObserver(
      forName: .ContentDownloadsChangedNotification, object: downloads, queue: nil
    ) { notification in
      guard let product = notification.userInfo?[ContentDownloads.productIdentifierKey] as? String else { return }
      saved.changed(product)
    }
  }
}

/// Reports a delivery's outcomes.
private final class StepDelivery: ProductDelivery {
  private let base: any ProductDelivery
  private let steps: StepReporter
  private let isOwned: @Sendable (String) -> Bool

  init(base: any ProductDelivery, steps: StepReporter, isOwned: @escaping @Sendable (String) -> Bool) {
    self.base = base
    self.steps = steps
    self.isOwned = isOwned
  }

  func handles(_ productIdentifier: String) -> Bool { base.handles(productIdentifier) }

  func obstacle(to productIdentifier: String) -> String? { base.obstacle(to: productIdentifier) }

  func deliver(_ purchase: PaidPurchase) async throws {
    let (product, transaction) = (purchase.productIdentifier, purchase.transactionIdentifier)
    do {
      try await base.deliver(purchase)
      steps(.granted, product: product, transaction: transaction)
    } catch let refused as RefusedPurchase {
      steps(.refused, product: product, transaction: transaction, detail: Self.text(of: refused))
      throw refused
    } catch {
      steps(.kept, product: product, transaction: transaction, detail: Self.text(of: error))
      throw error
    }
  }

  /// Returns the reason as the customer reads it; nil if the customer is shown none.
  private static func text(of error: any Error) -> String? { error.purchaseAlert(SampleCatalog.customerNames) }

  func revoke(productIdentifiers: Set<String>) async throws {
    // A product stays unlocked if the receipt has another purchase of it.
    let owned = productIdentifiers.filter(isOwned)
    try await base.revoke(productIdentifiers: productIdentifiers)
    for product in owned.sorted() where !isOwned(product) { steps(.locked, product: product) }
  }

  func restoreFinished() throws { try base.restoreFinished() }
}

/// Reports the transactions that StoreKit delivers.
private struct TransactionSteps: Sendable {
  let steps: StepReporter
  /// The transactions that had no outcome at the start. StoreKit may deliver them again; they are not reported as added.
  let earlier: Set<StoreTransaction.ID>

  func report(_ event: EdgeEvent) {
    switch event {
    case .updated(let transaction, _): report(transaction)
    case .revoked(let products, isRetry: false):
      for product in products { steps(.revocationDelivered, product: product) }
    case .revoked, .removed, .restoreEnded, .storefrontChanged: break
    }
  }

  private func report(_ transaction: StoreTransaction) {
    let (product, identifier) = (transaction.productIdentifier, transaction.transactionIdentifier)
    switch transaction.state {
    case .purchasing: if !earlier.contains(transaction.id) { steps(.paymentAdded, product: product) }
    case .purchased: steps(.journalled, product: product, transaction: identifier)
    case .failed:
      let isCancelled = transaction.error?.isPaymentCancellation ?? false
      steps(isCancelled ? .cancelled : .failed, product: product, detail: transaction.error?.localizedDescription)
    case .deferred: steps(.deferred, product: product)
    case .restored: steps(.restored, product: product, transaction: identifier)
    }
  }
}

/// Reports a product when all its files have arrived.
private final class SavedFiles: Sendable {
  private let downloads: ContentDownloads
  private let steps: StepReporter
  private let incomplete = LockedValue<Set<String>>([])

  init(downloads: ContentDownloads, steps: StepReporter) {
    self.downloads = downloads
    self.steps = steps
  }

  func changed(_ product: String) {
    // The books screen reports a read error.
    guard let state = try? downloads.state(of: product) else { return }
    let isSaved = incomplete.withLock { incomplete in
      if case .current = state { return incomplete.remove(product) != nil }
      if case .ended = state { incomplete.remove(product) } else { incomplete.insert(product) }
      return false
    }
    if isSaved { steps(.saved, product: product) }
  }
}
