import APIDescription
import Foundation
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel

/// The operator's endpoints for customers: search, export, grants and corrections.
struct OperatorCustomerRoutes: Sendable {
  let ledger: Ledger
  let door: OperatorAuthentication

  /// The body of a grant. It must have exactly one of `credits` and `productId`.
  private struct GrantOrder: ReasonedOrder {
    struct Credits: Decodable, Sendable {
      let unit: CreditUnit
      let amount: Int64
    }

    static let keys: [String: JSONKeys] = [
      "key": .anything, "credits": .object(["unit": .anything, "amount": .anything]), "productId": .anything,
      "accessUntil": .anything,
    ]
    let key: String
    let reason: String
    let credits: Credits?
    let productId: String?
    let accessUntil: StoreDate?
  }

  private struct RevocationOrder: ReasonedOrder {
    static let keys: [String: JSONKeys] = ["productId": .anything, "source": .anything]
    let productId: String
    let source: String
    let reason: String
  }

  private struct MoveOrder: ReasonedOrder {
    static let keys: [String: JSONKeys] = ["transactionId": .anything, "environment": .anything]
    let transactionId: TransactionID
    let environment: StoreEnvironment
    let reason: String
  }

  private struct LiftOrder: ReasonedOrder {
    static let keys: [String: JSONKeys] = ["unit": .anything]
    let unit: CreditUnit
    let reason: String
  }

  func add(to operators: RouterGroup<ServiceContext>) {
    let (ledger, door) = (ledger, door)
    operators.get("customers") { request, _ in
      _ = try await door.identity(request)
      try request.expectQuery(["subject", "transactionId"])
      let query = request.uri.queryParameters
      let found: [CustomerID]
      switch (query["subject"], query["transactionId"].map { TransactionID(rawValue: String($0)) }) {
      case (let subject?, nil): found = try await ledger.customers(subject: String(subject))
      case (nil, let id??): found = try await ledger.customers(transaction: id)
      case (nil, .some(nil)):
        throw ErrorResponse(.badRequest, "malformedRequest", "A transaction's id is 1 to 20 decimal digits.")
      default:
        throw ErrorResponse(.badRequest, "malformedRequest", "Say ?subject= or ?transactionId=, one of the two.")
      }
      return try Response.json(["customers": found])
    }
    operators.get("customers/{customer}") { request, context in
      _ = try await door.identity(request)
      return try Response.json(try await ledger.export(Self.customer(context)))
    }
    operators.post("apps/{bundleId}/customers/{customer}/grants") { request, context in
      let who = try await door.identity(request)
      let order = try await request.reasoned(GrantOrder.self)
      let grant: OperatorGrant
      switch (order.credits, order.productId) {
      case (let credits?, nil) where order.accessUntil == nil: grant = .credits(credits.unit, credits.amount)
      case (nil, let product?):
        guard order.accessUntil.map({ Self.dates.contains($0) }) ?? true else {
          throw ErrorResponse(
            .unprocessableContent, "malformedRequest", "accessUntil is a date in UNIX milliseconds, 1970 to 9999.")
        }
        grant = .product(ProductID(product), accessUntil: order.accessUntil)
      default:
        throw ErrorResponse(
          .unprocessableContent, "malformedRequest",
          "Give credits, or productId with or without accessUntil: one of the two.")
      }
      try await ledger.grant(
        grant, to: Self.customer(context), app: context.app, key: order.key, reason: order.reason, by: who.name)
      return Response(status: .noContent)
    }
    operators.post("apps/{bundleId}/customers/{customer}/revocations") { request, context in
      let who = try await door.identity(request)
      let order = try await request.reasoned(RevocationOrder.self)
      let wasThere = try await ledger.revoke(
        ProductID(order.productId), source: order.source, from: Self.customer(context), app: context.app,
        reason: order.reason, by: who.name)
      return try Response.json(["wasThere": wasThere])
    }
    operators.post("apps/{bundleId}/customers/{customer}/moves") { request, context in
      let who = try await door.identity(request)
      let order = try await request.reasoned(MoveOrder.self)
      let hasMoved = try await ledger.move(
        order.transactionId, in: order.environment, app: context.app, to: Self.customer(context), reason: order.reason,
        by: who.name)
      return try Response.json(["hasMoved": hasMoved])
    }
    operators.post("apps/{bundleId}/customers/{customer}/lifts") { request, context in
      let who = try await door.identity(request)
      let order = try await request.reasoned(LiftOrder.self)
      let wasBlocked = try await ledger.liftBlock(
        of: order.unit, customer: Self.customer(context), app: context.app, reason: order.reason, by: who.name)
      return try Response.json(["wasBlocked": wasBlocked])
    }
  }

  /// The dates from 1970 to 9999.
  private static let dates =
    StoreDate(millisecondsSince1970: 0)...StoreDate(millisecondsSince1970: 253_402_300_799_999)

  private static func customer(_ context: ServiceContext) throws -> CustomerID {
    let text = try context.pathParameter("customer")
    guard let id = CustomerID(text) else {
      throw ErrorResponse(.badRequest, "malformedRequest", "A customer's id is a UUID, not \(text.prefix(80)).")
    }
    return id
  }
}
