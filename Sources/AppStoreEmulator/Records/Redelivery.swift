import GRDB
import StoreModel

/// A redelivery of a transaction to its owner, as the outcome of a payment that was not charged.
///
/// StoreKit 1 shows it with its own transaction id. All other APIs show the original record.
public struct Redelivery: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "redelivery"

  /// The order of all deliveries. Transactions and redeliveries share one sequence of numbers.
  public let sequence: Int64
  public let transactionID: TransactionID
  /// The transaction that is redelivered.
  public let recordID: TransactionID
  public let installationID: InstallationID
  /// The payment that it belongs to; nil for an interrupted purchase, whose payment has failed.
  public let paymentID: PaymentID?
  public let applicationUsername: String?
  public let date: StoreDate
  public internal(set) var finishedDate: StoreDate?
}
