import GRDB
import StoreModel

/// A record that its owner was delivered once more, as the outcome of a payment that was not charged.
///
/// StoreKit 1 gives it a transaction id of its own; every other door shows the record.
struct Redelivery: Codable, Equatable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "redelivery"

  /// From the same numbers as those of records: the order of everything that is delivered.
  let sequence: Int64
  let transactionID: TransactionID
  /// The record that is delivered.
  let recordID: TransactionID
  let installationID: InstallationID
  /// The payment it answers; nil where that payment had failed before, interrupted.
  let paymentID: PaymentID?
  let applicationUsername: String?
  let date: StoreDate
  var finishedDate: StoreDate?

  /// The next one, under a number of its own. Not written yet.
  static func next(
    of stored: StoredTransaction, answering payment: PaymentID?, applicationUsername: String?,
    on installation: InstallationID, date: StoreDate, in database: Database
  ) throws -> Redelivery {
    let sequence = try StoreRow.takeSequence(database)
    // Whole seconds, as receipts can only say it.
    return Redelivery(
      sequence: sequence, transactionID: try StoreLife.fetch(database).transactionID(sequence: sequence),
      recordID: stored.record.transactionID, installationID: installation, paymentID: payment,
      applicationUsername: applicationUsername, date: date.wholeSeconds)
  }
}
