import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let findCustomers = Endpoint<NoMembers, CustomerQuery, NoMembers, CustomerList>(
    .get, "/v1/operator/customers", name: "findCustomers",
    summary: "Finds customers by subject or by transaction: exactly one of the two.", answers: "Their ids",
    callers: operators)
  static let customerOverview = Endpoint<CustomerPath, NoMembers, NoMembers, CustomerExport>(
    .get, "/v1/operator/customers/{customer}", name: "customerOverview",
    summary: "Returns all data about a customer.", answers: "All data", callers: operators)
  static let grant = Endpoint<AppCustomerPath, NoMembers, GrantRequest, NoContent>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/grants", name: "grant",
    summary:
      "Gives a product or credits that were not bought, or takes credits. A request with the same key is the same grant.",
    status: 204, answers: "Done", callers: operators)
  static let revoke = Endpoint<AppCustomerPath, NoMembers, RevocationRequest, RevocationOutcome>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/revocations", name: "revoke",
    summary: "Revokes a product for ever.", answers: "Whether the customer had it", callers: operators)
  static let movePurchase = Endpoint<AppCustomerPath, NoMembers, MoveRequest, MoveOutcome>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/moves", name: "movePurchase",
    summary: "Moves a purchase of another customer to this one. Consumables do not move.",
    answers: "Whether it moved now; false if the customer had it already", callers: operators)
  static let liftBlock = Endpoint<AppCustomerPath, NoMembers, LiftRequest, LiftOutcome>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/lifts", name: "liftBlock",
    summary: "Lets a customer spend again after a refund blocked it.", answers: "Whether it was blocked",
    callers: operators)

  static let care: [any DescribedEndpoint] = [
    findCustomers, customerOverview, grant, revoke, movePurchase, liftBlock,
  ]
}

struct CustomerQuery: APIObject {
  let subject: String?
  let transactionId: TransactionID?

  static let notes: [String: MemberNote] = ["subject": "Issuer and subject, with a space between."]
}

struct CustomerList: APIObject {
  let customers: [CustomerID]
}

/// An operator's request for a change, which is recorded in the audit log with its reason.
protocol ReasonedRequest: APIObject {
  var reason: String { get }
}

extension MemberNote {
  fileprivate static let reason = MemberNote(
    "For the audit log; at most 1,000 bytes.", minLength: 1, maxLength: 1000)
}

struct GrantRequest: ReasonedRequest {
  let key: String
  let reason: String
  let credits: LedgerProduct.Credits?
  let productId: String?
  let accessUntil: StoreDate?

  static let schemaDescription: String? =
    "Exactly one of credits (a negative amount takes credits) and productId. accessUntil goes with productId."
  static let notes: [String: MemberNote] = [
    "key": .init("Names the grant among those of the customer.", minLength: 1, maxLength: 200), "reason": .reason,
  ]
}

struct RevocationRequest: ReasonedRequest {
  let productId: String
  let source: String
  let reason: String

  static let notes: [String: MemberNote] = ["source": "The source of the entitlement.", "reason": .reason]
}

struct RevocationOutcome: APIObject {
  let wasThere: Bool
}

struct MoveRequest: ReasonedRequest {
  let transactionId: TransactionID
  let environment: StoreEnvironment
  let reason: String

  static let notes: [String: MemberNote] = ["reason": .reason]
}

struct MoveOutcome: APIObject {
  let hasMoved: Bool
}

struct LiftRequest: ReasonedRequest {
  let unit: CreditUnit
  let reason: String

  static let notes: [String: MemberNote] = ["reason": .reason]
}

struct LiftOutcome: APIObject {
  let wasBlocked: Bool
}
