import Foundation

/// A proof for the developer's server that a purchase was paid for.
public enum StoreProof: Hashable, Codable, Sendable {
  /// The content of the app receipt's file.
  case appReceipt(Data)
  /// A transaction's own receipt (`transactionReceipt`). The first customer who sends it gets the purchase.
  case legacyReceipt(Data)
  /// A signed transaction (JWS).
  case signedTransaction(String)
}

extension StoreProof {
  /// The proof as JSON for the server.
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
