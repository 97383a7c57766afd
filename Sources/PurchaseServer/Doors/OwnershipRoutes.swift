import Foundation
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel

/// The endpoints for a customer's entitlements, credits and deliveries.
struct OwnershipRoutes: Sendable {
  let ledger: Ledger
  let door: CustomerAuthentication
  let content: ContentPresenter

  private struct SpendOrder: Decodable, Sendable {
    let key: String
    let amount: Int64
  }

  func add(to app: RouterGroup<ServiceContext>) {
    let (ledger, door, content) = (ledger, door, content)
    app.get("entitlements") { request, context in
      let claimant = try await door.claimant(request, context)
      let entitlements = try await ledger.entitlements(of: claimant.customer, app: context.app)
      return try Response.json(["entitlements": entitlements.map { EntitlementView($0, at: ledger.now) }])
    }
    app.get("credits") { request, context in
      let claimant = try await door.claimant(request, context)
      return try Response.json(try await ledger.creditBalances(of: claimant.customer, app: context.app))
    }
    app.get("credits/{unit}/movements") { request, context in
      let claimant = try await door.claimant(request, context)
      try request.expectQuery(["before", "limit"])
      let movements = try await ledger.creditMovements(
        of: claimant.customer, app: context.app, unit: Self.unit(context),
        before: try request.number("before"), limit: Int(try request.number("limit") ?? 100))
      return try Response.json(["movements": movements])
    }
    app.post("credits/{unit}/spends") { request, context in
      let order = try await request.decoded(SpendOrder.self, keys: ["key", "amount"], upTo: 4096)
      let (app, unit) = (try context.app, try Self.unit(context))
      let spend = try await door.acting(for: request, context) { claimant in
        try await ledger.spend(order.amount, of: unit, key: order.key, customer: claimant.customer, app: app)
      }
      return try Response.json(SpendView(spend))
    }
    app.get("deliveries") { request, context in
      let claimant = try await door.claimant(request, context)
      var views: [DeliveryView] = []
      // Only links, because the client selects which files of the list it downloads.
      var room: Int64? = 0
      for delivery in try await ledger.deliveries(of: claimant.customer, app: context.app) {
        if let view = try await content.view(of: delivery, room: &room, context.logger) { views.append(view) }
      }
      return try Response.json(["deliveries": views])
    }
  }

  private static func unit(_ context: ServiceContext) throws -> CreditUnit {
    let text = try context.pathParameter("unit")
    guard let unit = CreditUnit(rawValue: text) else {
      throw ErrorResponse(.badRequest, "malformedRequest", "\(text.prefix(80)) is no unit of credits.")
    }
    return unit
  }
}

extension Request {
  /// Refuses unknown names in the query. If a misspelt filter were ignored, the response would contain too much.
  func expectQuery(_ names: Set<String>) throws(ErrorResponse) {
    for (name, value) in uri.queryParameters {
      guard names.contains(String(name)) else {
        throw ErrorResponse(
          .badRequest, "malformedRequest",
          "\(name.prefix(80)) cannot be asked for; there are \(names.sorted().joined(separator: ", ")).")
      }
      guard !value.utf8.contains(0) else {
        throw ErrorResponse(.badRequest, "malformedRequest", "\(name) has the character U+0000.")
      }
    }
  }

  /// Returns a whole number of the query, or nil if it is missing.
  func number(_ name: String) throws(ErrorResponse) -> Int64? {
    guard let text = uri.queryParameters[name[...]] else { return nil }
    guard let number = Int64(text) else {
      throw ErrorResponse(.badRequest, "malformedRequest", "\(name) is a whole number, not \(text.prefix(40)).")
    }
    return number
  }
}

/// The response to a spend: the movement, and the ledger's incarnation.
struct SpendView: Encodable {
  private let spend: CreditSpend

  init(_ spend: CreditSpend) { self.spend = spend }

  private enum CodingKeys: CodingKey { case incarnation }

  func encode(to encoder: any Encoder) throws {
    try spend.movement.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(spend.incarnation, forKey: .incarnation)
  }
}
