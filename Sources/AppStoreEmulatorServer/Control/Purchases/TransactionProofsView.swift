import AppStoreEmulator
import Foundation

/// What proves a transaction, as the store signs it now.
struct TransactionProofsView: Encodable, Sendable {
  /// A compact JWS.
  let signedTransaction: String
  /// DER, in base64.
  let appReceipt: Data
  /// The receipt of iOS 6, in base64 once more: as `verifyReceipt` takes it.
  let legacyReceipt: Data

  init(_ proofs: TransactionProofs) {
    signedTransaction = proofs.signedTransaction
    appReceipt = proofs.appReceipt
    legacyReceipt = proofs.legacyReceipt
  }
}
