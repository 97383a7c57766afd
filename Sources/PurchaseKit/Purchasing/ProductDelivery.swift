import StoreKit

/// Gives customers what they bought: one for each kind of goods an app sells.
public protocol ProductDelivery: AnyObject, Sendable {
  /// Whether this is who gives `productIdentifier`.
  func handles(_ productIdentifier: String) -> Bool

  /// Gives the product, durably, before it returns. The transaction is finished after that and not before.
  ///
  /// It may be called again with the same transaction identifier, and must then give nothing more.
  ///
  /// - Throws: whatever kept it from giving. The transaction is then left unfinished, and comes again.
  func deliver(_ purchase: PaidPurchase) throws
}

/// What was paid for, taken from a transaction.
public struct PaidPurchase: Hashable, Sendable {
  public let transactionIdentifier: String
  public let productIdentifier: String
  /// At least 1.
  public let quantity: Int
  public let date: Date

  public init(transactionIdentifier: String, productIdentifier: String, quantity: Int, date: Date) {
    self.transactionIdentifier = transactionIdentifier
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
      transactionIdentifier: identifier, productIdentifier: transaction.payment.productIdentifier,
      quantity: transaction.payment.quantity, date: date)
  }
}
