import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel

/// Purchases on a customer's behalf, and the books.
struct PurchaseRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.post("purchases") { request, _ in
      let order = try await request.decoded(
        PurchaseOrder.self,
        keys: ["bundleId", "environment", "customer", "productId", "quantity", "applicationUsername", "installationId"])
      return try await Response.answering(status: .created) {
        TransactionView(
          try await store.purchase(
            order.productId, quantity: order.quantity ?? 1, of: order.bundleId, for: order.customer,
            in: order.environment, applicationUsername: order.applicationUsername,
            installationID: order.installationId))
      }
    }
    control.get("transactions") { request, _ in
      let filter = try Self.filter(from: request)
      return try await Response.answering {
        ["transactions": try await store.transactions(filter).map(TransactionView.init)]
      }
    }
    control.get("charges") { request, _ in
      let filter = try Self.filter(from: request)
      return try await Response.answering { ["charges": try await store.charges(filter).map(ChargeView.init)] }
    }
  }

  private static func filter(from request: Request) throws -> EmulatedAppStore.BookFilter {
    let query = request.uri.queryParameters
    let names = ["bundleId", "customer", "environment", "limit"]
    if let unknown = query.lazy.map({ String($0.key) }).first(where: { !names.contains($0) }) {
      throw DoorRefusal(
        .badRequest, "malformedRequest",
        "\(unknown) cannot be asked for; there are \(names.joined(separator: ", ")).")
    }
    let limit = try query["limit"].map { text in
      guard let limit = Int(text), (1...1_000).contains(limit) else {
        throw DoorRefusal(.badRequest, "malformedRequest", "limit is a number from 1 to 1000.")
      }
      return limit
    }
    return EmulatedAppStore.BookFilter(
      bundleID: query["bundleId"].map { BundleID(String($0)) },
      environment: try query["environment"].map { try StoreEnvironment(doorName: String($0)) },
      account: query["customer"].map { AccountName(String($0)) }, limit: limit ?? 1_000)
  }
}
