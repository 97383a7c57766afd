import Foundation
import StoreModel

/// What the proofs of a transaction follow from. Equal ones give proofs that say the same.
package struct ProofBasis: Hashable, Sendable {
  package let stored: StoredTransaction
  /// The installation that receipts are made for: where the transaction is delivered, or else the owner's newest one of the
  /// app. Nil where the owner has none; there are no receipts without a device.
  package let installation: Installation?
  /// What the installation's app receipt lists.
  package let listed: [TransactionRecord]
}

/// What the store hands out to prove a transaction, made for looking at: the same records, signed by the same keys, as what
/// devices are delivered.
package struct TransactionProofs: Sendable {
  package let basis: ProofBasis
  /// A compact JWS.
  package let signedTransaction: String
  /// DER.
  package let appReceipt: Data?
  /// The transaction in the form of iOS 6, an old-style property list.
  package let transactionReceipt: Data?
  /// What `verifyReceipt` says of the app receipt, sent with the app's shared secret.
  package let appReceiptAnswers: [StoreEnvironment: VerifyReceiptResponse]
  /// What `verifyReceipt` says of the transaction in the form of iOS 6.
  package let transactionReceiptAnswers: [StoreEnvironment: VerifyReceiptResponse]
}
