import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The operator's endpoints for customers: search, export, grants and corrections.
struct OperatorCustomerRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  let exports: CustomerExports

  func add(to router: Router<ServiceContext>) {
    let (ledger, authentication, exports) = (ledger, authentication, exports)
    router.serve(ServiceEndpoints.findCustomers, for: authentication) { request, _ in
      switch (request.query.subject, request.query.transactionId) {
      case (let subject?, nil): CustomerList(customers: try await ledger.customers(subject: subject))
      case (nil, let id?): CustomerList(customers: try await ledger.customers(transaction: id))
      default:
        throw ErrorResponse(.badRequest, "malformedRequest", "Say ?subject= or ?transactionId=, one of the two.")
      }
    }
    router.serve(raw: ServiceEndpoints.exportOfCustomer, for: authentication) { request, _ in
      try await exports.response(for: request.path.customer, to: request.request, request.context)
    }
    router.serve(raw: ServiceEndpoints.recordedExportOfCustomer, for: authentication) { request, identity in
      try request.body.checkReason()
      let customer = request.path.customer
      let response = try await exports.response(for: customer, to: request.request, request.context)
      try await ledger.record("export", subject: "\(customer)", by: identity.name, reason: request.body.reason)
      return response
    }
    router.serve(ServiceEndpoints.grant, for: authentication) { request, identity in
      let (path, body) = (request.path, request.body)
      try body.checkReason()
      try await ledger.grant(
        try body.grant, to: path.customer, app: path.bundleId, key: body.key, reason: body.reason, by: identity.name)
      return NoContent()
    }
    router.serve(ServiceEndpoints.revoke, for: authentication) { request, identity in
      let (path, body) = (request.path, request.body)
      try body.checkReason()
      return RevocationOutcome(
        wasThere: try await ledger.revoke(
          ProductID(body.productId), source: body.source, from: path.customer, app: path.bundleId,
          reason: body.reason, by: identity.name))
    }
    router.serve(ServiceEndpoints.movePurchase, for: authentication) { request, identity in
      let (path, body) = (request.path, request.body)
      try body.checkReason()
      return MoveOutcome(
        hasMoved: try await ledger.move(
          body.transactionId, in: body.environment, app: path.bundleId, to: path.customer, reason: body.reason,
          by: identity.name))
    }
    router.serve(ServiceEndpoints.liftBlock, for: authentication) { request, identity in
      let (path, body) = (request.path, request.body)
      try body.checkReason()
      return LiftOutcome(
        wasBlocked: try await ledger.liftBlock(
          of: body.unit, customer: path.customer, app: path.bundleId, reason: body.reason, by: identity.name))
    }
    router.serve(ServiceEndpoints.erase, for: authentication) { request, identity in
      try request.body.checkReason()
      try await ledger.erase(
        request.path.customer, by: (operatorName: identity.name, reason: request.body.reason))
      return NoContent()
    }
  }
}

extension GrantRequest {
  /// The valid dates: 1970 to the year 9999.
  private static let dates =
    StoreDate(millisecondsSince1970: 0)...StoreDate(millisecondsSince1970: 253_402_300_799_999)

  fileprivate var grant: OperatorGrant {
    get throws(ErrorResponse) {
      switch (credits, productId) {
      case (let credits?, nil) where accessUntil == nil: return .credits(credits.unit, credits.amount)
      case (nil, let product?):
        guard accessUntil.map({ Self.dates.contains($0) }) ?? true else {
          throw ErrorResponse(
            .unprocessableContent, "malformedRequest", "accessUntil is a date in UNIX milliseconds, 1970 to 9999.")
        }
        return .product(ProductID(product), accessUntil: accessUntil)
      default:
        throw ErrorResponse(
          .unprocessableContent, "malformedRequest",
          "Give credits, or productId with or without accessUntil: one of the two.")
      }
    }
  }
}
