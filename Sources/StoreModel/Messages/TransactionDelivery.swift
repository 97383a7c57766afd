import Foundation

/// A transaction that the store sends to an installation. A new transaction is sent until the app finishes it. An
/// earlier transaction is sent if the customer restores it or buys its product again.
public struct TransactionDelivery: Hashable, Codable, Sendable {
  /// The payment that the transaction belongs to; nil for a purchase outside the app.
  public let paymentID: PaymentID?
  /// The transaction as a compact JWS. The device verifies its signature, and trusts the values in it.
  public let signedTransaction: String
  /// The app's `SKPayment.applicationUsername`. A signed transaction contains it only if it is a UUID.
  public let applicationUsername: String?
  /// The same transaction as a receipt of iOS 6, a signed old-style property list. The device passes it to the app as
  /// `SKPaymentTransaction.transactionReceipt`, and does not use it itself.
  public let transactionReceipt: Data?
  /// The account that owns the transaction, if another account or none is signed in on the installation; otherwise nil.
  public let account: AccountName?
  /// Present if the transaction is redelivered, because the customer bought the product again or restored it.
  public let redelivery: Redelivery?

  /// The id and date that StoreKit 1 shows for a redelivered transaction.
  public struct Redelivery: Hashable, Codable, Sendable {
    public let transactionID: TransactionID
    public let date: StoreDate
    /// The original transaction as a receipt of iOS 6.
    public let originalReceipt: Data?

    public init(transactionID: TransactionID, date: StoreDate, originalReceipt: Data? = nil) {
      self.transactionID = transactionID
      self.date = date
      self.originalReceipt = originalReceipt
    }
  }

  public init(
    paymentID: PaymentID?, signedTransaction: String, applicationUsername: String?, transactionReceipt: Data? = nil,
    account: AccountName? = nil, redelivery: Redelivery? = nil
  ) {
    self.paymentID = paymentID
    self.signedTransaction = signedTransaction
    self.applicationUsername = applicationUsername
    self.transactionReceipt = transactionReceipt
    self.account = account
    self.redelivery = redelivery
  }
}

/// The place between two pages of unfinished transactions.
public struct UnfinishedCursor: Hashable, Codable, Sendable {
  /// The sequence number of the last transaction on the pages so far.
  public let after: Int64
  /// The sequence number of the last transaction when the first page was made. Later transactions are not on these
  /// pages: only the first page has a receipt, and that receipt does not contain them.
  public let through: Int64

  public init(after: Int64, through: Int64) {
    self.after = after
    self.through = through
  }
}

/// Transactions, and the app receipt that contains them.
public struct DeliveryBatch: Hashable, Codable, Sendable {
  public let deliveries: [TransactionDelivery]
  /// The newest app receipt of the installation (DER); nil in the sandbox before the first purchase, and on all pages
  /// after the first.
  public let receipt: Data?
  /// Where the next page of unfinished transactions begins; nil if there is no other page.
  public let next: UnfinishedCursor?

  public init(deliveries: [TransactionDelivery], receipt: Data?, next: UnfinishedCursor? = nil) {
    self.deliveries = deliveries
    self.receipt = receipt
    self.next = next
  }
}
