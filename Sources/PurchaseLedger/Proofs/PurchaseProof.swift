import Foundation

/// What an app sends to show that something was bought. Nothing in it is believed before it is verified.
public enum PurchaseProof: Hashable, Sendable {
  /// The app receipt (`Bundle.appStoreReceiptURL`), DER or BER.
  case appReceipt(Data)
  /// `SKPaymentTransaction.transactionReceipt`: an old-style property list. Whoever has it can present it.
  case legacyReceipt(Data)
  /// A transaction as a JWS, `Transaction.jsonRepresentation`'s signed form.
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
