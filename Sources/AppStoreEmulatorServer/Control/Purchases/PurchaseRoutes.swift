import AppStoreEmulator
import Foundation
import HTTPDoors
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
        keys: [
          "bundleId", "environment", "customer", "productId", "quantity", "applicationUsername", "installationId",
          "paymentId",
        ])
      try order.check()
      return try await Response.answering(status: .created) {
        TransactionView(
          try await store.purchase(
            order.productId, quantity: order.quantity ?? 1, of: order.bundleId, for: order.customer,
            in: order.environment, applicationUsername: order.applicationUsername,
            installationID: order.installationId, paymentID: order.paymentId))
      }
    }
    control.get("transactions") { request, _ in
      let filter = try EmulatedAppStore.BookFilter(request, besides: ["withTotal"])
      let withTotal = try Self.wantsTotal(request)
      return try await Response.answering {
        TransactionListView(
          try await store.transactionPage(filter), total: withTotal ? try await store.transactionCount(filter) : nil)
      }
    }
    control.get("transactions/{transactionId}") { _, context in
      let id = try TransactionID(in: context)
      return try await Response.answering {
        TransactionDetailsView(try await store.transaction(id), timeline: try await store.timeline(of: id))
      }
    }
    control.get("transactions/{transactionId}/proofs") { _, context in
      let id = try TransactionID(in: context)
      return try await Response.answering { TransactionProofsView(try await store.proofs(of: id)) }
    }
    control.get("charges") { request, _ in
      let filter = try EmulatedAppStore.BookFilter(request)
      return try await Response.answering { ["charges": try await store.charges(filter).map(ChargeView.init)] }
    }
  }

  private static func wantsTotal(_ request: Request) throws(DoorRefusal) -> Bool {
    switch request.uri.queryParameters["withTotal"] {
    case nil, "false": return false
    case "true": return true
    case let text?:
      throw DoorRefusal(.badRequest, "malformedRequest", "withTotal is true or false; it is \(text).")
    }
  }
}
