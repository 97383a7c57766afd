import Foundation

/// A transaction on its way to the device that paid, until that device finishes it.
public struct TransactionDelivery: Hashable, Codable, Sendable {
  /// The payment it answers; nil for a purchase made outside the app.
  public let paymentID: PaymentID?
  /// The transaction as a compact JWS. Only what is signed in it is to be believed.
  public let signedTransaction: String
  /// What the app gave as `SKPayment.applicationUsername`, which a signed transaction holds only if it is a UUID.
  public let applicationUsername: String?
  /// The same transaction in the form of iOS 6, for `SKPaymentTransaction.transactionReceipt`: an old-style property list,
  /// signed. Passed on to the app as it is, because nothing on the device depends on it.
  public let transactionReceipt: Data?

  public init(
    paymentID: PaymentID?, signedTransaction: String, applicationUsername: String?, transactionReceipt: Data? = nil
  ) {
    self.paymentID = paymentID
    self.signedTransaction = signedTransaction
    self.applicationUsername = applicationUsername
    self.transactionReceipt = transactionReceipt
  }
}

/// Transactions, and the app receipt that goes with them.
public struct DeliveryBatch: Hashable, Codable, Sendable {
  public let deliveries: [TransactionDelivery]
  /// The newest app receipt of the installation (DER); nil where the account has never bought anything.
  public let receipt: Data?

  public init(deliveries: [TransactionDelivery], receipt: Data?) {
    self.deliveries = deliveries
    self.receipt = receipt
  }
}
