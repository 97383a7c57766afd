import APIDescription
import Foundation
import WebSupport
import PurchaseLedger
import StoreModel

/// A proof in a request. It must have exactly one of the three properties.
struct ProofOrder: Decodable, Sendable {
  static let keys = JSONKeys.object([
    "appReceipt": .anything, "legacyReceipt": .anything, "signedTransaction": .anything,
  ])

  /// In base64.
  let appReceipt: String?
  /// In base64.
  let legacyReceipt: String?
  /// A JWS.
  let signedTransaction: String?

  /// Decodes the proof.
  ///
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
    // Base64 with line breaks is accepted.
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !data.isEmpty else {
      throw ErrorResponse(.unprocessableContent, "unreadableProof", "The receipt is not base64, or empty.")
    }
    return data
  }
}

/// The body of a redemption.
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

  /// Returns the purchases to redeem.
  ///
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

/// The body of a restore, which redeems everything but consumables.
struct RestoreOrder: Decodable, Sendable {
  let proof: ProofOrder
}
