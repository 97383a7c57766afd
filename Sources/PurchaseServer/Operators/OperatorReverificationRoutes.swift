import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The operator's endpoint to verify stored proofs again, without waiting until they are due.
struct OperatorReverificationRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  let verification: StoredProofVerification
  /// The time after which no further proof is verified for a request, in seconds. The request's own limit must be longer: a
  /// verification that has begun can take as long as the policy's time limit.
  let seconds: Int
  let clock: any MachineClock

  func add(to router: Router<ServiceContext>) {
    router.serve(ServiceEndpoints.reverify, for: authentication) { request, identity in
      let body = request.body
      try OperatorReason.check(body.reason)
      let limit = Int(body.limit ?? 20)
      guard (1...100).contains(limit) else {
        throw ErrorResponse(.badRequest, "malformedRequest", "limit is a number from 1 to 100.")
      }
      // One more purchase than `limit` is requested. It shows whether there is another page.
      let found = try await ledger.reverify(
        try body.purchases, app: body.bundleId,
        after: body.after.map { PurchaseKey(app: body.bundleId, environment: $0.environment, id: $0.transactionId) },
        limit: limit + 1, by: identity.name, reason: body.reason)
      return try await page(found, limit: limit, request.context)
    }
  }

  private func page(
    _ purchases: [ReverifiedPurchase], limit: Int, _ context: ServiceContext
  ) async throws -> ReverificationView {
    let end = clock.nanoseconds + Int64(seconds) * 1_000_000_000
    var view = ReverificationView()
    // Several purchases can have the same proof, which is verified once.
    var outcomes: [String: StoredProofVerification.Outcome] = [:]
    for (place, purchase) in purchases.enumerated() {
      let isOver = place == limit || Task.isCancelled || clock.nanoseconds >= end
      if place > 0, isOver {
        let last = purchases[place - 1].key
        view.next = PurchasePosition(environment: last.environment, transactionId: last.id)
        break
      }
      let proofID = purchase.proofID ?? ""
      if let known = outcomes[proofID] {
        view.count(known)
      } else {
        let outcome = try await outcome(of: purchase, until: end, context)
        if case .recorded(let changed) = outcome { view.changed += Int64(changed) }
        outcomes[proofID] = outcome
        view.count(outcome)
      }
    }
    return view
  }

  private func outcome(
    of purchase: ReverifiedPurchase, until end: Int64, _ context: ServiceContext
  ) async throws -> StoredProofVerification.Outcome {
    guard let proof = try await ledger.storedProof(of: purchase) else { return .notAsked }
    return await verification.verify(proof, context.logger) { clock.nanoseconds >= end }
  }
}

extension ReverificationView {
  /// Counts one purchase by the outcome of its proof.
  fileprivate mutating func count(_ outcome: StoredProofVerification.Outcome) {
    switch outcome {
    case .recorded: checked += 1
    case .notAsked: unverifiable += 1
    case .failed: failed += 1
    }
  }
}

extension ReverificationRequest {
  fileprivate var purchases: ReverifiedPurchases {
    get throws(ErrorResponse) {
      switch (customer, productId, transactionId) {
      case (let customer?, nil, nil): return .customer(customer)
      case (nil, let product?, nil): return .product(product)
      case (nil, nil, let id?): return .transaction(id)
      default:
        throw ErrorResponse(
          .badRequest, "malformedRequest", "Say customer, productId or transactionId, one of the three.")
      }
    }
  }
}
