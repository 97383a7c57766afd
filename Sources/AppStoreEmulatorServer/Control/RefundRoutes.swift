import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of refunds and their reversals.
struct RefundRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.refunds) { input in
      RefundList(try await store.refundPage(input.query.filter))
    }
    control.serve(ControlEndpoints.refund) { input in
      TransactionView(
        try await store.refund(
          input.path.transactionId, reason: input.body.reason ?? .other, percentage: input.body.percentage ?? 100_000)
      )
    }
    control.serve(ControlEndpoints.reverseRefund) { input in
      TransactionView(try await store.reverseRefund(of: input.path.transactionId))
    }
  }
}
