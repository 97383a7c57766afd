import Foundation
import StoreModel

/// What the proofs of a transaction follow from. Equal ones give proofs that say the same.
package struct ProofBasis: Hashable, Sendable {
  package let stored: StoredTransaction
  /// The installation that receipts are made for: where the transaction is delivered, or else the owner's newest one of the app.
  /// Where the owner has none, an installation that exists only for these receipts.
  package let installation: Installation
  /// Whether ``installation`` is one that no device has registered.
  package let isInstallationInvented: Bool
  /// What the installation's app receipt lists.
  package let listed: [TransactionRecord]
}

/// What the store hands out to prove a transaction: the same records, signed by the same keys, as what devices are delivered.
package struct TransactionProofs: Sendable {
  package let basis: ProofBasis
  /// A compact JWS.
  package let signedTransaction: String
  /// DER.
  package let appReceipt: Data
  /// The transaction in the form of iOS 6, an old-style property list.
  package let legacyReceipt: Data
}

/// What `verifyReceipt` says of a transaction's receipts in each environment, sent with the app's shared secret.
package struct ProofAnswers: Sendable {
  package let appReceipt: [StoreEnvironment: VerifyReceiptResponse]
  package let legacyReceipt: [StoreEnvironment: VerifyReceiptResponse]
}
