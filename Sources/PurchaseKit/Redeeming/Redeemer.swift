import Foundation

/// Redeems purchases at the server, and translates refusals.
struct Redeemer: Sendable {
  let server: PurchaseServerClient

  /// - Returns: the goods of the purchase.
  /// - Throws: ``RefusedPurchase`` if the purchase grants nothing; ``PurchaseServerError`` for other refusals.
  func goods(
    for purchase: RedeemablePurchase, isRestored: Bool, retries: inout RetryBudget
  ) async throws -> ServerRedemption.Goods {
    let answer = try await redeem(purchase, &retries)
    guard let redeemed = answer.purchases.first(where: { $0.transactionId == purchase.transactionIdentifier }) else {
      throw PurchaseServerError.unintelligible(reason: "the redemption does not name the purchase")
    }
    if let goods = redeemed.given { return goods }
    guard let refusal = redeemed.refusal else {
      throw PurchaseServerError.unintelligible(reason: "the redemption neither gives nor refuses")
    }
    throw Self.error(
      ServerRefusal(status: 422, code: refusal.code, message: refusal.message), purchase, isRestored: isRestored)
  }

  private func redeem(_ purchase: RedeemablePurchase, _ retries: inout RetryBudget) async throws -> ServerRedemption {
    let server = server
    return try await retries.request {
      try await server.redeem(
        purchase.proof,
        [
          .init(
            transactionIdentifier: purchase.transactionIdentifier, productIdentifier: purchase.productIdentifier)
        ])
    }
  }

  private static func error(
    _ refusal: ServerRefusal, _ purchase: RedeemablePurchase, isRestored: Bool
  ) -> any Error {
    switch refusal.meaning(isRestored: isRestored) {
    case .nothingOwed: RefusedPurchase(productIdentifier: purchase.productIdentifier, refusal: refusal)
    case .keep: PurchaseServerError.refused(refusal)
    }
  }
}

/// A purchase to be redeemed at the server, now or later, with its proof.
struct RedeemablePurchase: Hashable, Sendable {
  let transactionIdentifier: String
  let productIdentifier: String
  /// The date of purchase. Of several purchases of a product, the newest is used.
  let date: Date
  let proof: StoreProof
}
