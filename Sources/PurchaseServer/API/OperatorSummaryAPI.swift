import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let customerSummary = OperatorEndpoint<CustomerPath, SummaryQuery, NoMembers, CustomerSummary>(
    .get, "/v1/operator/customers/{customer}/summary", role: .read, name: "customerSummary",
    summary: "Returns what is stored about a customer, up to \(CustomerSummary.rows) rows of each list.",
    answers: "The summary; of the customer to whom this one was joined, if it was")
  static let movementsOfCustomer = OperatorEndpoint<CustomerCreditPath, MovementQuery, NoMembers, MovementList>(
    .get, "/v1/operator/apps/{bundleId}/customers/{customer}/credits/{unit}/movements", role: .read,
    name: "movementsOfCustomer", summary: "Lists the movements of a customer's account, newest first.",
    answers: "A page of movements")

  static let summary: [any DescribedEndpoint] = [customerSummary, movementsOfCustomer]
}

struct SummaryQuery: APIObject {
  let order: ListOrder?

  static let notes: [String: MemberNote] = [
    "order": .init(
      """
      newest: the last rows of each list first; of purchases, devices and operators' changes the newest ones, if there are more, and of \
      periods the newest ones of the listed subscriptions. oldest: as in an export.
      """, defaultValue: .string(ListOrder.oldest.rawValue))
  ]
}

struct CustomerCreditPath: APIObject {
  let bundleId: BundleID
  let customer: CustomerID
  let unit: CreditUnit
}

extension CustomerSummary: APIObject {
  package static let notes: [String: MemberNote] = [
    "subject": "Issuer and subject of the identity system, with a space between.",
    "date": "The date of the store's clock when this was read. Access that has ended by then has expired.",
    "formerIds": "The ids of customers who were joined to this one.",
    "named": "What the customer has under the names of entitlements.",
    "cut": "The names of the lists that can have more rows; an export has all.",
  ]
}

extension CustomerSummary.Named: APIObject {
  package static let schemaName = "NamedEntitlementOfApp"
}

extension CustomerSummary.Proof: APIObject {
  package static let schemaName = "StoredProofSummary"
  package static let notes: [String: MemberNote] = ["due": "The date at which the store is asked about it again."]
}
