import APIDescription
import Foundation
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let customerState = Endpoint<AppPath, PageQuery, NoMembers, CustomerStateView>(
    .get, "/v1/apps/{bundleId}/customer/state", name: "customerState",
    summary:
      """
      Returns what the customer has: entitlements, balances, and deliveries without links. The ETag is the version of this page: it \
      changes with its content only.
      """, answers: "The state",
    otherResponses: [OtherResponse(304, "The page is still the one that If-None-Match names", .none)],
    headers: ["If-None-Match"])

  static let customerStates: [any DescribedEndpoint] = [customerState]
}

/// A page of a customer's state. Its entity tag is the digest of its JSON, so it contains nothing that changes without a change
/// for the customer, such as links or the current date.
struct CustomerStateView: APIObject {
  let customer: CustomerID
  let isIdentified: Bool
  let incarnation: LedgerIncarnation
  let credits: [CreditBalance]
  let entitlements: [EntitlementView]
  let deliveries: [DeliveryVersionView]
  let named: [NamedEntitlement]?
  let next: PageCursor?

  static let schemaName = "CustomerState"
  static let schemaDescription: String? =
    "Each page has the customer and all balances. Entitlements and deliveries go on from page to page."
  static let notes: [String: MemberNote] = [
    "isIdentified": "Whether the identity system names the customer.", "named": .namedEntitlements,
    "next": .nextPageAfter,
  ]

  init(_ state: CustomerState, of claimant: Claimant) {
    customer = claimant.customer
    isIdentified = claimant.isIdentified
    incarnation = state.credits.incarnation
    credits = state.credits.credits
    entitlements = state.entitlements.map { EntitlementView($0, at: state.date) }
    deliveries = state.deliveries.map(DeliveryVersionView.init)
    named = state.named
    next = state.next.map(PageCursor.init)
  }
}

/// A delivery that can be downloaded now, without its files.
struct DeliveryVersionView: APIObject {
  let id: String
  let productId: ProductID
  let source: String
  let version: Int64

  static let schemaName = "DeliveryVersion"
  static let notes = DeliveryView.notes

  init(_ delivery: CustomerState.Delivery) {
    id = delivery.id.uuidString.lowercased()
    productId = delivery.product
    source = delivery.source
    version = delivery.version
  }
}
