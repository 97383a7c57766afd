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
      let filter = try EmulatedAppStore.BookFilter(request)
      return try await Response.answering {
        ["transactions": try await store.transactions(filter).map(TransactionView.init)]
      }
    }
    control.get("charges") { request, _ in
      let filter = try EmulatedAppStore.BookFilter(request)
      return try await Response.answering { ["charges": try await store.charges(filter).map(ChargeView.init)] }
    }
  }
}
