import Foundation
import StoreModel

/// An unverified proof of purchase, as an app sends it.
public enum PurchaseProof: Hashable, Sendable {
  /// The app receipt (`Bundle.appStoreReceiptURL`), DER or BER.
  case appReceipt(Data)
  /// `SKPaymentTransaction.transactionReceipt`: an old-style property list. Any client with a copy can send it.
  case legacyReceipt(Data)
  /// A signed transaction as a JWS (StoreKit 2's `VerificationResult.jwsRepresentation`).
  case signedTransaction(String)
  /// A transaction id, without a signature. It is no secret and proves nothing by itself: see ``ProofSender``.
  case transactionID(TransactionID)

  /// The kinds of proof.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    case appReceipt
    case legacyReceipt
    case signedTransaction
    case transactionID
  }

  public var kind: Kind {
    switch self {
    case .appReceipt: .appReceipt
    case .legacyReceipt: .legacyReceipt
    case .signedTransaction: .signedTransaction
    case .transactionID: .transactionID
    }
  }
}
