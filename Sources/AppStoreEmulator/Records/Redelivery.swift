import GRDB
import StoreModel

/// A record that its owner was delivered once more, as the outcome of a payment that was not charged.
///
/// StoreKit 1 gives it a transaction id of its own; every other door shows the record.
public struct Redelivery: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "redelivery"

  /// From the same numbers as those of records: the order of everything that is delivered.
  public let sequence: Int64
  public let transactionID: TransactionID
  /// The record that is delivered.
  public let recordID: TransactionID
  public let installationID: InstallationID
  /// The payment it answers; nil where that payment had failed before, interrupted.
  public let paymentID: PaymentID?
  public let applicationUsername: String?
  public let date: StoreDate
  public internal(set) var finishedDate: StoreDate?
}
