import Foundation
import StoreModel

/// The contents of a transaction's proofs. Equal contents give equal proofs, except for dates and signatures.
package struct ProofBasis: Hashable, Sendable {
  package let stored: StoredTransaction
  /// The installation for which receipts are made: the one to which the transaction is delivered, or else the owner's
  /// newest installation of the app. If the owner has none, an installation that is not stored.
  package let installation: Installation
  /// Whether ``installation`` is invented, because no device has registered one.
  package let isInstallationInvented: Bool
  /// The transactions in the installation's app receipt.
  package let listed: [TransactionRecord]
  /// The owner's subscriptions in the app. Answers of `verifyReceipt` contain their renewal information.
  package let subscriptions: [RenewalRecord]
}

/// The signed data that prove a transaction. Records and keys are the same as in deliveries to devices.
package struct TransactionProofs: Sendable {
  package let basis: ProofBasis
  /// The signed transaction, as a compact JWS.
  package let signedTransaction: String
  /// The app receipt, in DER.
  package let appReceipt: Data
  /// The transaction as a receipt of iOS 6, an old-style property list.
  package let legacyReceipt: Data
}

/// The answers of `verifyReceipt` to a transaction's receipts in each environment, with the app's shared secret.
package struct ProofAnswers: Sendable {
  package let appReceipt: [StoreEnvironment: VerifyReceiptResponse]
  package let legacyReceipt: [StoreEnvironment: VerifyReceiptResponse]
}
