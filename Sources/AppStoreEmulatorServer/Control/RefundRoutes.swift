import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of refunds, their reversals, and of refunds that customers ask for.
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
    control.serve(ControlEndpoints.refundRequests) { input in
      RefundRequestList(try await store.refundRequests(of: input.path.transactionId))
    }
    control.serve(ControlEndpoints.requestRefund) { input in
      RefundRequestView(
        try await store.requestRefund(of: input.path.transactionId, reason: input.body.reason ?? .other))
    }
    control.serve(ControlEndpoints.decideRefundRequest) { input in
      RefundRequestView(
        try await store.decideRefundRequest(
          input.path.id, of: input.path.transactionId, input.body.outcome, percentage: input.body.percentage))
    }
    control.serve(ControlEndpoints.reverseRefund) { input in
      TransactionView(try await store.reverseRefund(of: input.path.transactionId))
    }
  }
}
