import APIDescription
import Foundation
import WebSupport
import PurchaseLedger
import StoreModel

/// A proof as it is sent: exactly one of the three.
struct ProofOrder: Decodable, Sendable {
  static let keys = JSONKeys.object([
    "appReceipt": .anything, "legacyReceipt": .anything, "signedTransaction": .anything,
  ])

  /// Base64.
  let appReceipt: String?
  /// Base64.
  let legacyReceipt: String?
  /// A JWS, as it is.
  let signedTransaction: String?

  /// - Throws: ``ErrorResponse``.
  func proof() throws(ErrorResponse) -> PurchaseProof {
    switch (appReceipt, legacyReceipt, signedTransaction) {
    case (let text?, nil, nil): return .appReceipt(try Self.data(text))
    case (nil, let text?, nil): return .legacyReceipt(try Self.data(text))
    case (nil, nil, let jws?) where !jws.isEmpty: return .signedTransaction(jws)
    default:
      throw ErrorResponse(
        .unprocessableContent, "unreadableProof",
        "Send one proof: appReceipt or legacyReceipt in base64, or signedTransaction as it is.")
    }
  }

  private static func data(_ text: String) throws(ErrorResponse) -> Data {
    // Senders wrap base64 in lines, which a receipt's reader should pass over.
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !data.isEmpty else {
      throw ErrorResponse(.unprocessableContent, "unreadableProof", "The receipt is not base64, or empty.")
    }
    return data
  }
}

/// What is to be redeemed.
struct RedemptionOrder: Decodable, Sendable {
  static let keys = JSONKeys.object([
    "proof": ProofOrder.keys,
    "purchases": .list(.object(["transactionId": .anything, "productId": .anything])),
  ])

  struct Purchase: Decodable, Sendable {
    let transactionId: String
    let productId: String?
  }

  let proof: ProofOrder
  let purchases: [Purchase]

  /// - Throws: ``ErrorResponse``.
  func items() throws(ErrorResponse) -> [RedemptionRequest.Item] {
    guard (1...1000).contains(purchases.count) else {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "Name 1 to 1,000 purchases. To get all that is owned, restore.")
    }
    var items: [RedemptionRequest.Item] = []
    for purchase in purchases {
      guard let id = TransactionID(rawValue: purchase.transactionId) else {
        throw ErrorResponse(
          .badRequest, "malformedRequest",
          "\(purchase.transactionId.prefix(40)) is no transaction id; those are 1 to 20 decimal digits.")
      }
      items.append(RedemptionRequest.Item(transactionID: id, productID: purchase.productId.map { ProductID($0) }))
    }
    return items
  }
}

/// What is to be restored: everything that lasts.
struct RestoreOrder: Decodable, Sendable {
  let proof: ProofOrder
}
