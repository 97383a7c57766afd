import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// The customer's state, and whose request the server answered.
  struct State {
    let pages: [ServerStatePage]
    let state: ServerCustomerState
    let identity: Identity

    var credits: Credits { Credits(balances: state.credits, identity: identity, incarnation: state.incarnation) }
  }

  /// Requests the customer's state. The server sends only the pages that differ from the known ones.
  ///
  /// - Parameter known: the pages of an earlier answer, also of another customer.
  /// - Throws: ``PurchaseServerError``.
  func state(unless known: [ServerStatePage]) async throws -> State {
    var (pages, next): ([ServerStatePage], String?) = ([], nil)
    while true {
      let old = known.first { $0.after == next && $0.entityTag != nil }
      let address = endpoints.app.appending(path: "customer/state")
      var call = HTTPCall(
        "GET", next.map { address.appending(queryItems: [URLQueryItem(name: "after", value: $0)]) } ?? address)
      call.fields["If-None-Match"] = old?.entityTag
      let (reply, bearer) = try await answer(to: call)
      let page: ServerStatePage
      if reply.status == 304, let old {
        page = old
      } else {
        guard (200..<300).contains(reply.status) else {
          throw PurchaseServerError.refused(ServerRefusal(reply.head, reply.body))
        }
        page = ServerStatePage(after: next, entityTag: reply.head["ETag"], body: reply.body)
      }
      let content = try page.content()
      // A server that returned the same position again would keep the app here for ever.
      guard content.next == nil || content.next != next else {
        throw PurchaseServerError.unintelligible(reason: "customer/state: a page follows itself")
      }
      pages.append(page)
      next = content.next
      guard next == nil else { continue }
      let state = try ServerCustomerState(pages)
      try await becomes(state.customer, bearer)
      return State(pages: pages, state: state, identity: identity(of: state.customer, bearer))
    }
  }
}
