import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let offerings = Endpoint<AppPath, NoMembers, NoMembers, OfferingList>(
    .get, "/v1/apps/{bundleId}/offerings", name: "offerings",
    summary: "Lists the app's offerings: which products it shows together, and in which order.",
    answers: "The offerings, with their listed products",
    otherResponses: [OtherResponse(304, "The offerings are still those that If-None-Match names", .none)],
    headers: ["If-None-Match"], callers: .everyone)

  static let offeringsForOperator = OperatorEndpoint<AppPath, NoMembers, NoMembers, PublishedOfferingList>(
    .get, "/v1/operator/apps/{bundleId}/offerings", role: .read, name: "offeringsForOperator",
    summary: "Lists all offerings of an app by id.", answers: "The offerings")
  static let publishOffering = OperatorEndpoint<OfferingPath, NoMembers, OfferingRequest, PublishedOfferingView>(
    .put, "/v1/operator/apps/{bundleId}/offerings/{offeringId}", role: .admin, name: "publishOffering",
    summary: "Adds an offering, or replaces it. If it is current, no other offering of the app is.",
    answers: "The offering", otherResponses: [OtherResponse(404, "unknownProduct")])
  static let removeOffering = OperatorEndpoint<OfferingPath, ReasonQuery, NoMembers, NoContent>(
    .delete, "/v1/operator/apps/{bundleId}/offerings/{offeringId}", role: .admin, name: "removeOffering",
    summary: "Removes an offering.", status: 204, answers: "Done",
    otherResponses: [OtherResponse(404, "unknownOffering")])
}

struct OfferingPath: APIObject {
  let bundleId: BundleID
  let offeringId: OfferingID
}

/// The offerings of an app, as the app gets them.
struct OfferingList: APIObject {
  let bundleId: BundleID
  let current: OfferingID?
  let offerings: [OfferingView]

  static let notes: [String: MemberNote] = [
    "current": "The offering to show if the app asks for no particular one. Missing if there is none."
  ]

  init(bundleId: BundleID, _ published: [PublishedOffering]) {
    self.bundleId = bundleId
    current = published.map(\.offering).first(where: \.isCurrent)?.id
    offerings = published.map(OfferingView.init)
  }
}

/// An offering, as apps get it.
struct OfferingView: APIObject {
  let id: OfferingID
  let products: [ProductID]
  let metadata: DecodedJSON

  static let schemaName = "Offering"
  static let notes: [String: MemberNote] = [
    "products": "The listed products, in the order in which the app shows them.", "metadata": .metadata,
  ]

  init(_ published: PublishedOffering) {
    id = published.offering.id
    products = published.listedProducts
    metadata = DecodedJSON(text: published.offering.metadata)
  }
}

struct PublishedOfferingList: APIObject {
  let offerings: [PublishedOfferingView]
}

/// An offering, as operators see it.
struct PublishedOfferingView: APIObject {
  let id: OfferingID
  let products: [ProductID]
  let unlisted: [ProductID]
  let metadata: DecodedJSON
  let isCurrent: Bool
  let changed: StoreDate

  static let schemaName = "PublishedOffering"
  static let notes: [String: MemberNote] = [
    "products": "All products, in the order in which the app shows them.",
    "unlisted": "Those of the products that are not listed. Apps do not get them.", "metadata": .metadata,
    "changed": "When it was published last, or another one became current.",
  ]

  init(_ published: PublishedOffering) {
    let offering = published.offering
    id = offering.id
    products = offering.products
    unlisted = offering.products.filter(published.unlisted.contains)
    metadata = DecodedJSON(text: offering.metadata)
    isCurrent = offering.isCurrent
    changed = published.changed
  }
}

struct OfferingRequest: APIObject {
  let products: [ProductID]
  let metadata: DecodedJSON?
  let isCurrent: Bool?
  let reason: String?

  static let notes: [String: MemberNote] = [
    "products": .init(
      "Published products, in the order in which the app shows them; no product twice.", minItems: 1, maxItems: 100),
    "metadata": .metadata, "isCurrent": .init(defaultValue: .boolean(false)), "reason": .reason,
  ]
}

extension MemberNote {
  fileprivate static let metadata = MemberNote(
    "For the app; the server does not interpret it. At most 16,384 bytes, as JSON without white space.")
  /// Of a list of ``NamedEntitlement``.
  static let namedEntitlements = MemberNote(
    "What the customer has under the names of entitlements, about all pages. Missing on all pages but the first.")
}

extension NamedEntitlement: APIObject {
  package static let notes: [String: MemberNote] = [
    "isActive": "Whether an entitlement to a product with this name is active now, by the server's clock.",
    "accessUntil":
      "If it is active: the latest end; missing if an entitlement never ends. Otherwise when the last one has ended.",
    "products": "Those of the active entitlements; if none is active, all of the customer's products with the name.",
  ]
}

extension EntitlementName: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, note: MemberNote("What a product gives, such as club.", pattern: "^[A-Za-z0-9._-]{1,64}$"))
  }
  package static var sample: EntitlementName { EntitlementName(rawValue: "club")! }
  package static var componentName: String? { "EntitlementName" }
}

extension OfferingID: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, note: MemberNote("The texts . and .. are no ids.", pattern: "^[A-Za-z0-9._-]{1,64}$"))
  }
  package static var sample: OfferingID { OfferingID(rawValue: "default")! }
  package static var componentName: String? { "OfferingId" }
}
