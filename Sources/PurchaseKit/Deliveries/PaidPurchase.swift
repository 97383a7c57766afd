import StoreKit

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
  public let date: Date

  /// - Parameter originalTransactionIdentifier: nil for a first purchase.
  public init(
    transactionIdentifier: String, originalTransactionIdentifier: String? = nil, productIdentifier: String,
    quantity: Int, date: Date
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.originalTransactionIdentifier = originalTransactionIdentifier ?? transactionIdentifier
    self.productIdentifier = productIdentifier
    self.quantity = quantity
    self.date = date
  }

  /// Nil for a transaction that is not paid: only `.purchased` has an identifier and a date.
  init?(_ transaction: SKPaymentTransaction) {
    guard transaction.transactionState == .purchased, let identifier = transaction.transactionIdentifier,
      let date = transaction.transactionDate
    else { return nil }
    self.init(
      transactionIdentifier: identifier,
      originalTransactionIdentifier: transaction.original?.transactionIdentifier,
      productIdentifier: transaction.payment.productIdentifier,
      quantity: transaction.payment.quantity, date: date)
  }
}
