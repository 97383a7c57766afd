import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let registerInstallation = Endpoint<AppPath, NoMembers, InstallationRequest, InstallationView>(
    .post, "/v1/apps/{bundleId}/installations", name: "registerInstallation",
    summary: "Registers an installation as an anonymous customer. Counts as ten requests.", status: 201,
    answers: "The customer, and a token that is sent only once", callers: .everyone)
  static let signOut = Endpoint<AppPath, NoMembers, NoMembers, NoContent>(
    .delete, "/v1/apps/{bundleId}/installations/current", name: "signOut",
    summary: "Revokes the token of the request for ever.", status: 204, answers: "Done")
  static let customer = Endpoint<AppPath, NoMembers, NoMembers, CustomerView>(
    .get, "/v1/apps/{bundleId}/customer", name: "customer", summary: "Returns the customer of the token.",
    answers: "The customer")
  static let exportCustomer = Endpoint<AppPath, NoMembers, NoMembers, CustomerExport>(
    .get, "/v1/apps/{bundleId}/customer/export", name: "exportCustomer",
    summary:
      """
      Returns all data about the customer, of all apps. Every 64 KiB count as a request. A customer has one export at a time; further \
      ones get 429.
      """, answers: "All data")
  static let eraseCustomer = Endpoint<AppPath, NoMembers, NoMembers, NoContent>(
    .delete, "/v1/apps/{bundleId}/customer", name: "eraseCustomer",
    summary: "Erases the customer: name, tokens, devices and proofs. Entitlements and credits end.", status: 204,
    answers: "Done")

  static let customers: [any DescribedEndpoint] = [
    registerInstallation, signOut, customer, exportCustomer, eraseCustomer,
  ]
}

struct InstallationRequest: APIObject {
  let device: String?

  static let notes: [String: MemberNote] = [
    "device": .init(
      "The device that the store issues receipts for: identifierForVendor (a UUID), or a Mac's MAC address.",
      isNullable: true)
  ]
}

struct InstallationView: APIObject {
  let customer: CustomerID
  let token: String

  static let schemaName = "Installation"
}

struct CustomerView: APIObject {
  let customer: CustomerID
  let isIdentified: Bool

  static let notes: [String: MemberNote] = ["isIdentified": "Whether the identity system names the customer."]
}

extension LedgerEntitlement: APIObject {
  package static let schemaName = "ExportedEntitlement"
}

extension LedgerEntitlement.Renewal: APIObject {
  package static let schemaName = "Renewal"
  package static let schemaDescription: String? =
    "How an auto-renewable subscription continues, as the store stated it."
  package static let notes: [String: MemberNote] = [
    "product": "The product of the next period.",
    "isInBillingRetry": "Whether the store is trying to charge a failed renewal. Also true in a grace period.",
    "gracePeriodEnd": "The date until which the customer keeps access although the renewal has failed.",
    "expirationIntent": "Why the subscription has expired or will expire, by Apple's numbers 1 to 5.",
  ]
}
