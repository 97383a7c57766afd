import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of payments that wait for approval.
struct ApprovalRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.approvals) { _ in
      ApprovalList(approvals: try await store.pendingApprovals().map(ApprovalView.init))
    }
    control.serve(ControlEndpoints.decideApproval) { input in
      let stored = try await store.decideApproval(
        of: input.path.paymentId, on: input.path.installationId, isApproved: input.body.decision == .approve)
      return ApprovalOutcome(transaction: stored.map(TransactionView.init))
    }
  }
}
