import Foundation
import HTTPTransport

/// What a customer has on the purchase server, in one app.
public struct ServerCustomerState: Hashable, Sendable {
  public internal(set) var customer: UUID
  /// Identifies the server's ledger. Numbers of movements can be compared only within one incarnation.
  public internal(set) var incarnation: String
  /// The balances of all units that the customer has ever had.
  public internal(set) var credits: [ServerCreditBalance]
  /// Current and past entitlements, by product and source.
  public internal(set) var entitlements: [ServerEntitlement]
  /// The content that can be downloaded now. ``PurchaseServerClient/deliveries()`` returns its links.
  public internal(set) var deliveries: [Delivery]
  /// What the customer has under the names of entitlements, by name. Empty from servers without names.
  public internal(set) var named: [ServerNamedEntitlement]

  /// Whether the customer has access to what an entitlement's name stands for, such as `club`, whichever product gives it.
  public func isEntitled(toNamed name: String) -> Bool { named.contains { $0.name == name && $0.isActive } }

  /// Content that can be downloaded, without its files.
  public struct Delivery: Hashable, Decodable, Sendable {
    public let id: String
    public let productId: String
    /// The purchase's claim, or the key of an operator's grant.
    public let source: String
    /// The version of the product's current files.
    public let version: Int64
  }

  /// The state with access that has ended by `date`.
  func at(_ date: Date) -> ServerCustomerState {
    var state = self
    for index in entitlements.indices where entitlements[index].accessUntil.map({ $0 <= date }) ?? false {
      state.entitlements[index].isActive = false
    }
    let active = Set(state.entitlements.filter(\.isActive).map(\.productId))
    state.named = named.map { $0.at(date, active: active) }
    return state
  }
}

/// A page of a customer's state as the server sent it, and its version.
struct ServerStatePage: Hashable, Codable, Sendable {
  /// The position of the page; nil for the first page.
  let after: String?
  /// The version of the page; nil if the response had none.
  let entityTag: String?
  /// The response's JSON. It is stored as it is, so that a later version of the app can read members that this one ignores.
  let body: Data

  struct Content: Decodable {
    let customer: UUID
    let incarnation: String
    let credits: [ServerCreditBalance]
    let entitlements: [ServerEntitlement]
    let deliveries: [ServerCustomerState.Delivery]
    /// Nil on all pages but the first, and from servers without names.
    let named: [ServerNamedEntitlement]?
    let next: String?
  }

  /// - Throws: ``PurchaseServerError``.
  func content() throws(PurchaseServerError) -> Content {
    try ServerEndpoints.decoded(Content.self, from: HTTPReply(head: HTTPReplyHead(status: 200), body: body))
  }
}

extension ServerCustomerState {
  /// Joins the pages of a state.
  ///
  /// - Throws: ``PurchaseServerError``; `customerChanged` if the pages are not of one customer.
  init(_ pages: [ServerStatePage]) throws(PurchaseServerError) {
    guard let first = try pages.first?.content() else { throw .unintelligible(reason: "a state without pages") }
    self.init(
      customer: first.customer, incarnation: first.incarnation, credits: first.credits,
      entitlements: first.entitlements, deliveries: first.deliveries, named: first.named ?? [])
    for page in pages.dropFirst() {
      let content = try page.content()
      guard content.customer == customer else { throw .customerChanged }
      // The last page is the newest one.
      (incarnation, credits) = (content.incarnation, content.credits)
      entitlements += content.entitlements
      deliveries += content.deliveries
    }
  }
}
