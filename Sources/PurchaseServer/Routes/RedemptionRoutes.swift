import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The endpoints to redeem proofs and to restore purchases.
struct RedemptionRoutes: Sendable {
  let ledger: Ledger
  let verifier: ProofVerifier
  let authentication: CustomerAuthentication
  let verificationRates: VerificationRates
  let content: ContentPresenter
  let metrics: ServiceMetrics
  let clock: any MachineClock

  func add(to router: Router<ServiceContext>) {
    router.serve(ServiceEndpoints.redeem, bodyLimit: BodyLimit.receipt, for: authentication.claimant) {
      request, claimant in
      let (proof, items) = (try request.body.proof.proof(), try request.body.items())
      return try await redeem(proof, .purchases(items), for: claimant, request)
    }
    router.serve(ServiceEndpoints.restore, bodyLimit: BodyLimit.receipt, for: authentication.claimant) {
      request, claimant in
      try await redeem(try request.body.proof.proof(), .everythingOwned, for: claimant, request)
    }
  }

  private func redeem<Body>(
    _ proof: PurchaseProof, _ wanted: RedemptionRequest, for claimant: Claimant,
    _ request: ServiceRequest<AppPath, NoMembers, Body>
  ) async throws -> RedemptionView {
    let (app, context) = (request.path.bundleId, request.context)
    let sender: ProofSender = claimant.isIdentified ? .customer(claimant.customer) : .anonymous
    let requested = wanted.transactionIDs
    // Both calls of the verifier below need it, and the ledger is read once.
    let found = LockedValue<[Set<TransactionID>: Set<TransactionID>]>([:])
    let unclaimed: ProofVerifier.ConsumableLookup = { requested, receipt in
      if let known = found.value[requested] { return known }
      // If the ledger cannot be read, the redemption fails, too.
      let unclaimed = (try? await ledger.unclaimedConsumables(requested, in: receipt)) ?? requested
      found.withLock { $0[requested] = unclaimed }
      return unclaimed
    }
    // `admit` is called before the first request to the store, and before each retry.
    let caller = context.caller
    let admit: ProofVerifier.RetryPermission = {
      await verificationRates.admit(
        claimant.customer, from: caller, isGenuine: { await verifier.isGenuine(proof, for: app) })
    }
    let requiresRequest = await verifier.requiresStoreRequest(
      about: proof, for: app, from: sender, requested: requested, unclaimed: unclaimed)
    if requiresRequest, let seconds = await admit() {
      throw ErrorResponse(
        .tooManyRequests, "tooManyRequests",
        "Too many requests to the store for one customer, or for one address. Wait \(seconds) s.",
        headers: [.retryAfter: String(seconds)])
    }
    let verified: VerifiedProof
    do {
      verified = try await verifier.verify(
        proof, for: app, from: sender, requested: requested, unclaimed: unclaimed, retryPermission: admit)
    } catch {
      metrics.countRedemption(error.code)
      context.logger.info(
        "A proof was refused", metadata: ["code": "\(error.code)", "reason": "\(error.description.debugDescription)"])
      throw error.errorResponse
    }
    if requiresRequest { metrics.store.noteAnswer(about: app, at: clock.now) }
    let redemption = try await authentication.acting(as: claimant, request) { claimant in
      try await ledger.redeem(verified, wanted, for: claimant)
    }
    context.logger.warn(ofOtherPurchases: redemption.otherPurchases, app: app)
    return try await view(of: redemption, context)
  }

  /// Returns the body of the response.
  ///
  /// - Throws: ``ErrorResponse`` if all purchases were refused.
  private func view(of redemption: Redemption, _ context: ServiceContext) async throws -> RedemptionView {
    var inlineBudget: Int64?
    var views: [RedeemedPurchaseView] = []
    var given = 0
    for purchase in redemption.purchases {
      switch purchase.outcome {
      case .given(let goods):
        given += 1
        metrics.countRedemption(goods.isNew ? "given" : "givenBefore")
        var delivery: DeliveryView?
        if let id = goods.delivery { delivery = try await view(of: id, inlineBudget: &inlineBudget, context) }
        views.append(
          RedeemedPurchaseView(
            transactionId: purchase.transactionID, productId: purchase.productID,
            given: GivenView(
              claim: goods.claim, claimed: goods.claimed, credits: goods.credits,
              entitlement: goods.entitlement.map { EntitlementView($0, at: ledger.now) }, delivery: delivery),
            refusal: nil))
      case .refused(let refusal):
        metrics.countRedemption(refusal.code)
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
    guard given == 0, let first = refused.first else { return view }
    throw ErrorResponse(first.status, body: RefusedRedemptionView(view, first))
  }

  /// Returns a delivery for the response; nil if it has ended meanwhile.
  private func view(of id: UUID, inlineBudget: inout Int64?, _ context: ServiceContext) async throws -> DeliveryView? {
    do {
      return try await content.view(of: ledger.delivery(id), inlineBudget: &inlineBudget, context.logger)
    } catch LedgerError.deliveryEnded {
      return nil
    }
  }
}

extension RedemptionRequest {
  /// The ids of the purchases that are named; empty to redeem everything that is owned.
  fileprivate var transactionIDs: Set<TransactionID> {
    switch self {
    case .purchases(let items): Set(items.map(\.transactionID))
    case .everythingOwned: []
    }
  }
}
