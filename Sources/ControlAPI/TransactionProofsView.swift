import APIDescription
import AppStoreEmulator
import Foundation

/// The proofs of a transaction, as the store signs them now.
package struct TransactionProofsView: APIObject {
  package let signedTransaction: String
  package let appReceipt: Data
  package let legacyReceipt: Data

  package static let notes: [String: MemberNote] = [
    "signedTransaction": "A compact JWS.",
    "appReceipt":
      "The app receipt (DER), as receipt-data of verifyReceipt. It lists a consumable until that is finished.",
    "legacyReceipt": "The transaction's receipt of iOS 6, as receipt-data of verifyReceipt.",
  ]

  package init(_ proofs: TransactionProofs) {
    signedTransaction = proofs.signedTransaction
    appReceipt = proofs.appReceipt
    legacyReceipt = proofs.legacyReceipt
  }
}
