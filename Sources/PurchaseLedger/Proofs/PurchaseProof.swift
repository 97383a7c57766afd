import Foundation

/// An unverified proof of purchase, as an app sends it.
public enum PurchaseProof: Hashable, Sendable {
  /// The app receipt (`Bundle.appStoreReceiptURL`), DER or BER.
  case appReceipt(Data)
  /// `SKPaymentTransaction.transactionReceipt`: an old-style property list. Any client with a copy can send it.
  case legacyReceipt(Data)
  /// A signed transaction as a JWS (StoreKit 2's `VerificationResult.jwsRepresentation`).
  case signedTransaction(String)

  /// The kinds of proof.
  public enum Kind: String, Hashable, Codable, Sendable {
    case appReceipt
    case legacyReceipt
    case signedTransaction
  }

  public var kind: Kind {
    switch self {
    case .appReceipt: .appReceipt
    case .legacyReceipt: .legacyReceipt
    case .signedTransaction: .signedTransaction
    }
  }
}
