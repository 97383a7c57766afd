import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let findCustomers = OperatorEndpoint<NoMembers, CustomerQuery, NoMembers, CustomerList>(
    .get, "/v1/operator/customers", role: .read, name: "findCustomers",
    summary: "Finds customers by subject or by transaction: exactly one of the two.", answers: "Their ids")
  static let exportOfCustomer = OperatorEndpoint<CustomerPath, NoMembers, NoMembers, CustomerExport>(
    .get, "/v1/operator/customers/{customer}", role: .read, name: "exportOfCustomer",
    summary: "Returns all data about a customer.",
    answers: "All data")
  static let grant = OperatorEndpoint<AppCustomerPath, NoMembers, GrantRequest, NoContent>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/grants", role: .support, name: "grant",
    summary:
      "Gives a product or credits that were not bought, or takes credits. A request with the same key is the same grant.",
    status: 204, answers: "Done")
  static let revoke = OperatorEndpoint<AppCustomerPath, NoMembers, RevocationRequest, RevocationOutcome>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/revocations", role: .support, name: "revoke",
    summary: "Revokes a product for ever.", answers: "Whether the customer had it")
  static let movePurchase = OperatorEndpoint<AppCustomerPath, NoMembers, MoveRequest, MoveOutcome>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/moves", role: .support, name: "movePurchase",
    summary: "Moves a purchase of another customer to this one. Consumables do not move.",
    answers: "Whether it moved now; false if the customer had it already")
  static let liftBlock = OperatorEndpoint<AppCustomerPath, NoMembers, LiftRequest, LiftOutcome>(
    .post, "/v1/operator/apps/{bundleId}/customers/{customer}/lifts", role: .support, name: "liftBlock",
    summary: "Lets a customer spend again after a refund blocked it.", answers: "Whether it was blocked")

  static let recordedExportOfCustomer = OperatorEndpoint<CustomerPath, NoMembers, ReasonBody, CustomerExport>(
    .post, "/v1/operator/customers/{customer}/exports", role: .read, name: "recordedExportOfCustomer",
    summary: "Returns all data about a customer, and records the export in the audit log.", answers: "All data")
  static let erase = OperatorEndpoint<CustomerPath, NoMembers, ReasonBody, NoContent>(
    .post, "/v1/operator/customers/{customer}/erasure", role: .admin, name: "erase",
    summary: "Erases a customer's personal data, as the customer's own request does. It cannot be reversed.",
    status: 204,
    answers: "Done; also if the customer was erased before")

  static let care: [any DescribedEndpoint] = [
    findCustomers, exportOfCustomer, grant, revoke, movePurchase, liftBlock, recordedExportOfCustomer, erase,
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

/// The reason of an operation that needs nothing else.
struct ReasonBody: ReasonedRequest {
  let reason: String

  static let notes: [String: MemberNote] = ["reason": .reason]
}

/// The reason of a change, which programs may omit.
struct OptionalReason: APIObject {
  let reason: String?

  static let notes: [String: MemberNote] = ["reason": .reason]
}

struct ReasonQuery: APIObject {
  let reason: String?

  static let notes: [String: MemberNote] = ["reason": .reason]
}

extension MemberNote {
  static let reason = MemberNote(
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
