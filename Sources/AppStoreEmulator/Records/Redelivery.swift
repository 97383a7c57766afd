import GRDB
import StoreModel

/// A redelivery of a transaction to its owner, as the outcome of a payment that was not charged.
///
/// StoreKit 1 shows it with its own transaction id. All other APIs show the original record.
public struct Redelivery: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "redelivery"

  /// The order of all deliveries. The numbers are from the same sequence as those of transactions.
  public let sequence: Int64
  public let transactionID: TransactionID
  /// The transaction that is redelivered.
  public let recordID: TransactionID
  public let installationID: InstallationID
  /// The payment that it belongs to; nil if the payment had failed before, because it was interrupted.
  public let paymentID: PaymentID?
  public let applicationUsername: String?
  public let date: StoreDate
  public internal(set) var finishedDate: StoreDate?
}
