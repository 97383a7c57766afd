import Foundation
import StoreModel

/// Where a transaction stands. Implements Apple's `SKPaymentTransactionState`.
public enum SKPaymentTransactionState: Int, Sendable {
  /// The payment is on its way to the store.
  case purchasing = 0
  /// Paid. Give the customer the product, then finish the transaction.
  case purchased = 1
  /// Failed; `error` says why. Finish it too.
  case failed = 2
  /// Bought before, and brought back.
  case restored = 3
  /// Waits for somebody else's approval.
  case deferred = 4
}

/// A payment in the queue. Implements Apple's `SKPaymentTransaction`.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open and `SKPayment` is not Sendable. The stored payment never changes.

  private struct Content: Sendable {
    var entry: QueueEntry?
    var original: SKPaymentTransaction?
  }

  private let content: LockedValue<Content>
  private let storedPayment: SKPayment

  public override init() {
    content = LockedValue(Content())
    storedPayment = SKPayment()
    super.init()
  }

  init(_ entry: QueueEntry) {
    storedPayment = SKPayment(entry.payment)
    content = LockedValue(Content(entry: entry, original: entry.original.map(SKPaymentTransaction.init)))
    super.init()
  }

  /// Changes only on the queue that observers are called on, right before they are called.
  func update(_ entry: QueueEntry) {
    content.withLock { content in
      content.entry = entry
      // The same object each time: an original never changes.
      if content.original == nil { content.original = entry.original.map(SKPaymentTransaction.init) }
    }
  }

  /// The entry's number in the journal; nil for a transaction that a client made for its own tests.
  var sequence: Int64? { content.withLock { $0.entry?.sequence } }

  private var state: PaymentState? { content.withLock { $0.entry?.state } }

  private var purchase: PurchasedTransaction? {
    state?.purchase
  }

  /// The same object each time.
  open var payment: SKPayment { storedPayment }

  open var transactionState: SKPaymentTransactionState {
    switch state {
    case .purchased: .purchased
    case .restored: .restored
    case .failed: .failed
    case .deferred: .deferred
    case .added, .confirmed, .finishing, nil: .purchasing
    }
  }

  /// Set for `.purchased` and `.restored` only.
  open var transactionIdentifier: String? { purchase?.transactionID.rawValue }

  /// Set for `.purchased` and `.restored` only.
  open var transactionDate: Date? { purchase?.purchaseDate.date }

  /// Set for `.failed` only.
  open var error: (any Error)? {
    if case .failed(let failure) = state { failure.error } else { nil }
  }

  /// The proof in the form of iOS 6. Set for `.purchased` and `.restored` only.
  open var transactionReceipt: Data? { purchase?.transactionReceipt }

  /// The share of a consumable's price that was refunded before the product was given, in thousandths of a percent; nil
  /// for nothing. An app gives what remains paid.
  ///
  /// Apple's class has no such property: the share is signed in the transaction of StoreKit 2.
  public var revocationPercentage: Int? { purchase?.revocation?.percentage }

  /// Empty: Apple no longer hosts content.
  open var downloads: [SKDownload] { [] }

  /// The first transaction of a purchase that was restored, that the customer had already, or that goes on with a
  /// subscription: its identifier, date, receipt and payment.
  open var original: SKPaymentTransaction? { content.withLock { $0.original } }
}
