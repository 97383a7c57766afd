import Foundation
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel

/// The endpoints to redeem proofs and to restore purchases.
struct RedemptionRoutes: Sendable {
  let ledger: Ledger
  let verifier: ProofVerifier
  let door: CustomerAuthentication
  let questions: VerificationRates
  let content: ContentPresenter
  let metrics: ServiceMetrics

  func add(to app: RouterGroup<ServiceContext>) {
    app.post("redemptions") { request, context in
      // Authenticated before the body is read, so that bodies of unauthenticated callers are not held in memory.
      let claimant = try await door.claimant(request, context)
      let order = try await request.decoded(
        RedemptionOrder.self, knowing: RedemptionOrder.keys, upTo: BodyLimit.receipt)
      let (proof, items) = (try order.proof.proof(), try order.items())
      return try await answer(request, context, claimant, proof, .purchases(items))
    }
    app.post("restores") { request, context in
      let claimant = try await door.claimant(request, context)
      let order = try await request.decoded(
        RestoreOrder.self, knowing: .object(["proof": ProofOrder.keys]), upTo: BodyLimit.receipt)
      return try await answer(request, context, claimant, try order.proof.proof(), .everythingOwned)
    }
  }

  private func answer(
    _ request: Request, _ context: ServiceContext, _ claimant: Claimant, _ proof: PurchaseProof,
    _ wanted: RedemptionRequest
  ) async throws -> Response {
    let app = try context.app
    // Called for the first request to the store and for each retry.
    let caller = context.caller
    let admit: ProofVerifier.RetryPermission = {
      await questions.admit(
        claimant.customer, from: caller, isGenuine: { await verifier.isGenuine(proof, for: app) })
    }
    if verifier.asksStore(about: proof, for: app), let seconds = await admit() {
      throw ErrorResponse(
        .tooManyRequests, "tooManyRequests",
        "That is more than the store is asked for one customer, or one address. Wait \(seconds) s.",
        headers: [.retryAfter: String(seconds)])
    }
    let verified: VerifiedProof
    do {
      verified = try await verifier.verify(proof, for: app, retryPermission: admit)
    } catch {
      metrics.redemptions.add(1, ["outcome": error.code])
      context.logger.info(
        "A proof was refused", metadata: ["code": "\(error.code)", "reason": "\(error.description.debugDescription)"])
      throw error.doorRefusal
    }
    let redemption = try await door.acting(for: request, context) { claimant in
      try await ledger.redeem(verified, wanted, for: claimant)
    }
    return try await response(to: redemption, context)
  }

  private func response(to redemption: Redemption, _ context: ServiceContext) async throws -> Response {
    var room: Int64?
    var views: [RedeemedPurchaseView] = []
    var given = 0
    for purchase in redemption.purchases {
      switch purchase.outcome {
      case .given(let goods):
        given += 1
        metrics.redemptions.add(1, ["outcome": goods.isNew ? "given" : "givenBefore"])
        var delivery: DeliveryView?
        if let id = goods.delivery { delivery = try await view(of: id, room: &room, context) }
        views.append(
          RedeemedPurchaseView(
            transactionId: purchase.transactionID, productId: purchase.productID,
            given: GivenView(
              claim: goods.claim, claimed: goods.claimed, credits: goods.credits,
              entitlement: goods.entitlement.map { EntitlementView($0, at: ledger.now) }, delivery: delivery),
            refusal: nil))
      case .refused(let refusal):
        metrics.redemptions.add(1, ["outcome": refusal.code])
        context.logger.info(
          "A purchase was refused",
          metadata: ["transaction": "\(purchase.transactionID)", "reason": "\(refusal.description.debugDescription)"])
        views.append(
          RedeemedPurchaseView(
            transactionId: purchase.transactionID, productId: purchase.productID, given: nil,
            refusal: RefusalView(refusal)))
      }
    }
    let view = RedemptionView(
      customer: redemption.customer, environment: redemption.environment, purchases: views)
    let refused = redemption.purchases.lazy.compactMap { purchase in
      if case .refused(let refusal) = purchase.outcome { refusal } else { nil }
    }
    guard given == 0, let first = refused.first else { return try Response.json(view) }
    return try Response.json(RefusedRedemptionView(view, first), status: first.status)
  }

  /// Returns nil if the delivery has ended meanwhile.
  private func view(of id: UUID, room: inout Int64?, _ context: ServiceContext) async throws -> DeliveryView? {
    do {
      return try await content.view(of: ledger.delivery(id), room: &room, context.logger)
    } catch LedgerError.deliveryEnded {
      return nil
    }
  }
}

/// The response to a redemption that gave nothing. It has the error of the first purchase, and all results.
private struct RefusedRedemptionView: Encodable {
  let error: RefusalView
  let customer: CustomerID
  let environment: StoreEnvironment
  let purchases: [RedeemedPurchaseView]

  init(_ view: RedemptionView, _ refusal: RedemptionRefusal) {
    error = RefusalView(refusal)
    customer = view.customer
    environment = view.environment
    purchases = view.purchases
  }
}
