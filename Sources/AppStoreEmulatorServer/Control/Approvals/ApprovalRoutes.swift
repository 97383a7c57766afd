import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// Payments that wait for approval.
struct ApprovalRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("approvals") { _, _ in
      try await Response.answering { ["approvals": try await store.pendingApprovals().map(ApprovalView.init)] }
    }
    control.post("approvals/{installationId}/{paymentId}") { request, context in
      let installation = InstallationID(try context.pathParameter("installationId"))
      let payment = PaymentID(try context.pathParameter("paymentId"))
      let decision = try await request.decoded(ApprovalDecision.self, keys: ["decision"]).decision
      return try await Response.answering {
        let stored = try await store.decideApproval(
          of: payment, on: installation, isApproved: decision == .approve)
        return ApprovalOutcome(transaction: stored.map(TransactionView.init))
      }
    }
  }
}
