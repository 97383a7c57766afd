import Foundation
import StoreModel

/// The state of a transaction. Implements Apple's `SKPaymentTransactionState`.
public enum SKPaymentTransactionState: Int, Sendable {
  /// The payment is being sent to the store.
  case purchasing = 0
  /// The customer has paid. Grant the product, then finish the transaction.
  case purchased = 1
  /// The payment failed; `error` has the reason. Finish this transaction, too.
  case failed = 2
  /// An earlier purchase that was restored.
  case restored = 3
  /// The payment waits for approval (Ask to Buy).
  case deferred = 4
}

/// A payment in the queue. Implements Apple's `SKPaymentTransaction`.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open.

  /// A payment that never changes. Unchecked, because `SKPayment` is not Sendable.
  private struct ShownPayment: @unchecked Sendable {
    let payment: SKPayment
  }

  private struct Content: Sendable {
    var entry: QueueEntry?
    var shown: ShownPayment
    var original: SKPaymentTransaction?
  }

  private let content: LockedValue<Content>

  public override init() {
    content = LockedValue(Content(shown: ShownPayment(payment: SKPayment())))
    super.init()
  }

  init(_ entry: QueueEntry) {
    content = LockedValue(
      Content(
        entry: entry, shown: ShownPayment(payment: SKPayment(entry.payment)),
        original: entry.original.map(SKPaymentTransaction.init)))
    super.init()
  }

  /// Updates the transaction. Called on the main queue, right before the observers are called.
  func update(_ entry: QueueEntry) {
    content.withLock { content in
      // An unchanged payment stays the same object.
      if content.entry?.payment != entry.payment {
        content.shown = ShownPayment(payment: SKPayment(entry.payment))
      }
      content.entry = entry
      // The original transaction stays the same object, because it never changes.
      if content.original == nil { content.original = entry.original.map(SKPaymentTransaction.init) }
    }
  }

  /// The entry's number in the journal; nil for a transaction that an app made for its tests.
  var sequence: Int64? { content.withLock { $0.entry?.sequence } }

  private var state: PaymentState? { content.withLock { $0.entry?.state } }

  private var purchase: PurchasedTransaction? {
    state?.purchase
  }

  /// Always the same object, with one exception: if a change of plan takes effect at a later date, the payment of the
  /// purchased transaction is another object, with the product of the current plan.
  open var payment: SKPayment { content.withLock { $0.shown }.payment }

  open var transactionState: SKPaymentTransactionState {
    switch state {
    case .purchased: .purchased
    case .restored: .restored
    case .failed: .failed
    case .deferred: .deferred
    case .added, .confirmed, .finishing, nil: .purchasing
    }
  }

  /// Present for `.purchased` and `.restored` only.
  open var transactionIdentifier: String? { purchase?.transactionID.rawValue }

  /// Present for `.purchased` and `.restored` only.
  open var transactionDate: Date? { purchase?.purchaseDate.date }

  /// Present for `.failed` only.
  open var error: (any Error)? {
    if case .failed(let failure) = state { failure.error } else { nil }
  }

  /// The transaction as a receipt of iOS 6. Present for `.purchased` and `.restored` only.
  open var transactionReceipt: Data? { purchase?.transactionReceipt }

  /// The share of a consumable's price that was refunded before the transaction was finished, in thousandths of a
  /// percent; nil if nothing was refunded. Apps should grant only the share that was not refunded.
  ///
  /// Apple's class has no such property: StoreKit 2 has the share in the signed transaction.
  public var revocationPercentage: Int? { purchase?.revocation?.percentage }

  /// Empty, because Apple no longer hosts content.
  open var downloads: [SKDownload] { [] }

  /// The first transaction of the purchase, with its identifier, date, receipt and payment. Present if the purchase was
  /// restored or redelivered, or continues a subscription.
  open var original: SKPaymentTransaction? { content.withLock { $0.original } }
}
