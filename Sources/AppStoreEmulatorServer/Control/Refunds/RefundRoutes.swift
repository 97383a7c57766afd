import AppStoreEmulator
import HTTPDoors
import Hummingbird
import StoreModel

/// Refunds, and taking them back.
struct RefundRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("refunds") { request, _ in
      let filter = try EmulatedAppStore.BookFilter(request)
      return try await Response.answering { ["refunds": try await store.refunds(filter).map(RefundView.init)] }
    }
    control.post("transactions/{transactionId}/refund") { request, context in
      let order = try await request.decoded(RefundOrder.self, keys: ["reason", "percentage"])
      let id = try TransactionID(in: context)
      return try await Response.answering {
        TransactionView(
          try await store.refund(id, reason: order.reason ?? .other, percentage: order.percentage ?? 100_000))
      }
    }
    control.delete("transactions/{transactionId}/refund") { _, context in
      let id = try TransactionID(in: context)
      return try await Response.answering { TransactionView(try await store.reverseRefund(of: id)) }
    }
  }
}
