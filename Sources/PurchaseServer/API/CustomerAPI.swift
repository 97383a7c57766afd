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

  static let consent = Endpoint<AppPath, NoMembers, NoMembers, CustomerConsent>(
    .get, "/v1/apps/{bundleId}/customer/consent", name: "consent",
    summary: "Returns what the customer has consented to in this app.", answers: "The consent")
  static let setConsent = Endpoint<AppPath, NoMembers, ConsentRequest, CustomerConsent>(
    .put, "/v1/apps/{bundleId}/customer/consent", name: "setConsent",
    summary:
      """
      Records that the customer consents, or withdraws the consent, to information about consumption: if the customer asks for a refund, \
      the App Store is told how much of the purchase was used. Without consent, nothing is sent.
      """, answers: "The consent, with the date of its last change")

  static let customers: [any DescribedEndpoint] = [
    registerInstallation, signOut, customer, exportCustomer, eraseCustomer, consent, setConsent,
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

struct ConsentRequest: APIObject {
  let consumptionInformation: Bool

  static let notes: [String: MemberNote] = ["consumptionInformation": "false withdraws the consent."]
}

extension CustomerConsent: APIObject {
  package static let notes: [String: MemberNote] = [
    "consumptionInformation": "Whether the customer consents now.",
    "changed": "When the customer consented or withdrew. Missing if neither has happened.",
  ]
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
