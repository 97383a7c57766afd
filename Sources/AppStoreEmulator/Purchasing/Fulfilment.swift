import StoreModel

/// What a payment came to in the books: a record that was charged for, or one its owner had.
struct Provision: Sendable {
  let stored: StoredTransaction
  /// Nil where it was charged.
  var redelivery: Redelivery?

  /// What StoreKit 1 calls it.
  var transactionID: TransactionID { redelivery?.transactionID ?? stored.record.transactionID }
  /// The order in which things were delivered.
  var sequence: Int64 { redelivery?.sequence ?? stored.sequence }
}
