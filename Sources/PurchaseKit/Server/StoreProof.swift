import Foundation

/// What shows the developer's server that something was paid for (F3).
public enum StoreProof: Hashable, Codable, Sendable {
  /// The app receipt, as it is in its file.
  case appReceipt(Data)
  /// A transaction's own receipt (`transactionReceipt`). Whoever holds it first, claims.
  case legacyReceipt(Data)
  /// A signed transaction (JWS).
  case signedTransaction(String)
}

extension StoreProof {
  /// As the server takes it.
  struct Message: Encodable {
    private let appReceipt: Data?
    private let legacyReceipt: Data?
    private let signedTransaction: String?

    init(_ proof: StoreProof) {
      (appReceipt, legacyReceipt, signedTransaction) =
        switch proof {
        case .appReceipt(let data): (data, nil, nil)
        case .legacyReceipt(let data): (nil, data, nil)
        case .signedTransaction(let text): (nil, nil, text)
        }
    }
  }
}
