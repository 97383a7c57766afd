import StoreKit
import StoreModel

/// What was paid for, taken from a transaction.
public struct PaidPurchase: Hashable, Sendable {
  /// What a consumable's grant is keyed on.
  public let transactionIdentifier: String
  /// The first transaction of the purchase, what an entitlement is keyed on: the transaction itself unless it was bought
  /// before.
  public let originalTransactionIdentifier: String
  public let productIdentifier: String
  /// At least 1.
  public let quantity: Int
  /// When it was bought; for what was bought before, when that was.
  public let date: Date
  /// Whether it was brought back rather than bought.
  public let isRestored: Bool
  /// The transaction's own receipt, of the kind from before the app receipt; nil where the store made none.
  public let legacyReceipt: Data?
  /// The share of a consumable's price that was refunded before it was given, in thousandths of a percent: 1 to 99,999.
  /// Nil where nothing was refunded, and on Apple's platforms, where StoreKit 1 does not say it.
  public let revocationPercentage: Int?

  /// - Parameter originalTransactionIdentifier: nil for a first purchase.
  public init(
    transactionIdentifier: String, originalTransactionIdentifier: String? = nil, productIdentifier: String,
    quantity: Int, date: Date, isRestored: Bool = false, legacyReceipt: Data? = nil,
    revocationPercentage: Int? = nil
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.originalTransactionIdentifier = originalTransactionIdentifier ?? transactionIdentifier
    self.productIdentifier = productIdentifier
    self.quantity = quantity
    self.date = date
    self.isRestored = isRestored
    self.legacyReceipt = legacyReceipt
    self.revocationPercentage = revocationPercentage
  }

  /// What of `amount` remains paid. What a refund takes is rounded down, so that a fraction stays with the customer, as on
  /// the purchase server.
  public func remaining(of amount: Int) -> Int {
    guard let revocationPercentage else { return amount }
    let share = min(max(revocationPercentage, 0), Percentage.whole)
    return amount - Int(Percentage.share(share, of: Int64(amount)))
  }

  /// Nil for a transaction that is not paid: only `.purchased` and `.restored` have an identifier and a date.
  init?(_ transaction: SKPaymentTransaction) {
    let isRestored = transaction.transactionState == .restored
    guard isRestored || transaction.transactionState == .purchased, let identifier = transaction.transactionIdentifier,
      let date = transaction.original?.transactionDate ?? transaction.transactionDate
    else { return nil }
    self.init(
      transactionIdentifier: identifier,
      originalTransactionIdentifier: transaction.original?.transactionIdentifier,
      productIdentifier: transaction.restoredProductIdentifier,
      quantity: transaction.payment.quantity, date: date, isRestored: isRestored,
      legacyReceipt: transaction.transactionReceipt, revocationPercentage: transaction.refundedShare)
  }
}

extension SKPaymentTransaction {
  fileprivate var refundedShare: Int? {
    #if os(Linux)
      revocationPercentage
    #else
      nil
    #endif
  }

  /// The product, which Apple has read from the original of what is restored.
  var restoredProductIdentifier: String { original?.payment.productIdentifier ?? payment.productIdentifier }
}
