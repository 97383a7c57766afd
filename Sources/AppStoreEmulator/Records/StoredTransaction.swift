import GRDB
import StoreModel

/// A transaction record, with the columns that only the store uses.
public struct StoredTransaction: Hashable, Encodable, Sendable {
  /// The order in which the store made its transactions.
  public internal(set) var sequence: Int64
  public internal(set) var record: TransactionRecord
  /// The account that owns the transaction.
  public let account: AccountName
  /// The installation to which it is delivered until it is finished. Nil for a purchase outside an app, until an
  /// installation requests it.
  public internal(set) var installationID: InstallationID?
  /// The payment on ``installationID`` that bought it; nil if there is none, such as for a renewal.
  public let paymentID: PaymentID?
  public internal(set) var finishedDate: StoreDate?
  /// The purchase of another family member that is shared here; nil for a purchase by the owner.
  public internal(set) var sharedTransactionID: TransactionID?
  /// The number that the finish took of ``Revisions``; nil if it is not finished, or if an earlier version finished it.
  package internal(set) var finishRevision: Int64?
}

extension StoredTransaction: FetchableRecord, PersistableRecord {
  public static let databaseTableName = "transactionRecord"
}

// The properties of the record and of the store are columns of one row.
extension StoredTransaction {
  private enum CodingKeys: String, CodingKey {
    case sequence, account, installationID, paymentID, finishedDate, sharedTransactionID, finishRevision, searchText
  }

  public func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(sequence, forKey: .sequence)
    try container.encode(account, forKey: .account)
    try container.encode(installationID, forKey: .installationID)
    try container.encode(paymentID, forKey: .paymentID)
    try container.encode(finishedDate, forKey: .finishedDate)
    try container.encode(sharedTransactionID, forKey: .sharedTransactionID)
    try container.encode(finishRevision, forKey: .finishRevision)
    // Written but never read, because it is computed from the other columns.
    try container.encode(searchText, forKey: .searchText)
  }
}

extension StoredTransaction {
  /// The number of the last change that the owner's devices receive: one of the record, or the finish.
  var changeNumber: Int64 { max(record.revision, finishRevision ?? 0) }

  /// ``changeNumber`` in SQL. The index `transactionRecordChanged` has it.
  static let changeNumberSQL = "max(revision, coalesce(finishRevision, 0))"
}
