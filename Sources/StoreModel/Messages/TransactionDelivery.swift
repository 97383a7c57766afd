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
  /// Present where the customer has the signed transaction already and is delivered it once more, bought again or restored.
  public let redelivery: Redelivery?

  /// What StoreKit 1 calls a transaction that is delivered once more.
  public struct Redelivery: Hashable, Codable, Sendable {
    public let transactionID: TransactionID
    public let date: StoreDate
    /// The original transaction in the form of iOS 6.
    public let originalReceipt: Data?

    public init(transactionID: TransactionID, date: StoreDate, originalReceipt: Data? = nil) {
      self.transactionID = transactionID
      self.date = date
      self.originalReceipt = originalReceipt
    }
  }

  public init(
    paymentID: PaymentID?, signedTransaction: String, applicationUsername: String?, transactionReceipt: Data? = nil,
    redelivery: Redelivery? = nil
  ) {
    self.paymentID = paymentID
    self.signedTransaction = signedTransaction
    self.applicationUsername = applicationUsername
    self.transactionReceipt = transactionReceipt
    self.redelivery = redelivery
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
