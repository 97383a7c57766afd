import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of payments that wait for approval.
struct ApprovalRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.approvals) { input in
      ApprovalList(try await store.approvalPage(after: input.query.after?.key, limit: input.query.count))
    }
    control.serve(ControlEndpoints.decideApproval) { input in
      let stored = try await store.decideApproval(
        of: input.path.paymentId, on: input.path.installationId, isApproved: input.body.decision == .approve)
      return ApprovalOutcome(transaction: stored.map(TransactionView.init))
    }
  }
}
