import AppStoreEmulator
import ControlAPI
import HTTPDoors
import Hummingbird

/// Refunds and their reversals.
struct RefundRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.add(ControlEndpoints.refunds) { input in
      try await Response.answering {
        RefundList(refunds: try await store.refunds(input.query.filter).map(RefundView.init))
      }
    }
    control.add(ControlEndpoints.refund) { input in
      try await Response.answering {
        TransactionView(
          try await store.refund(
            input.path.transactionId, reason: input.body.reason ?? .other, percentage: input.body.percentage ?? 100_000)
        )
      }
    }
    control.add(ControlEndpoints.reverseRefund) { input in
      try await Response.answering { TransactionView(try await store.reverseRefund(of: input.path.transactionId)) }
    }
  }
}
