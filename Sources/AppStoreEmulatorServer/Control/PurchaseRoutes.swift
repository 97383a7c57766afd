import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of transactions, their proofs, charges, and purchases on a customer's behalf.
struct PurchaseRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.purchase) { input in
      let body = input.body
      try body.check()
      return TransactionView(
        try await store.purchase(
          body.productId, quantity: body.quantity ?? 1, of: body.bundleId, for: body.customer,
          in: body.environment, applicationUsername: body.applicationUsername,
          installationID: body.installationId, paymentID: body.paymentId, offer: body.offer))
    }
    control.serve(ControlEndpoints.transactions) { input in
      let filter = input.query.records.filter
      return TransactionListView(
        try await store.transactionPage(filter),
        total: input.query.withTotal == true ? try await store.transactionCount(filter) : nil)
    }
    control.serve(ControlEndpoints.transaction) { input in
      let id = input.path.transactionId
      return TransactionDetailsView(try await store.transaction(id), timeline: try await store.timeline(of: id))
    }
    control.serve(ControlEndpoints.proofs) { input in
      TransactionProofsView(
        try await store.proofs(of: input.path.transactionId, chain: input.query.certificate ?? .valid))
    }
    control.serve(ControlEndpoints.charges) { input in
      ChargeList(try await store.chargePage(input.query.filter))
    }
  }
}

extension PurchaseRequest {
  /// Checks the members.
  ///
  /// - Throws: ``ErrorResponse`` if `paymentId` is not 1 to 200 bytes of text, or if only one of `offerType` and
  ///   `offerId` is present.
  fileprivate func check() throws(ErrorResponse) {
    guard (offerType == nil) == (offerId == nil) else {
      throw ErrorResponse(.badRequest, "malformedRequest", "An offer needs offerType and offerId.")
    }
    guard let text = paymentId?.rawValue else { return }
    guard (1...200).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw ErrorResponse(.badRequest, "malformedRequest", "paymentId is 1 to 200 bytes of text; a UUID will do.")
    }
  }
}
