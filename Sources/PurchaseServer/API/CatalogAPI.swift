import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let products = Endpoint<AppPath, NoMembers, NoMembers, CatalogView>(
    .get, "/v1/apps/{bundleId}/products", name: "products",
    summary: "Lists the app's products (the master list), in the language of Accept-Language.",
    answers: "The listed products",
    otherResponses: [OtherResponse(304, "The list is still the one that If-None-Match names", .none)],
    headers: ["Accept-Language", "If-None-Match"], callers: .everyone)

  static let catalog: [any DescribedEndpoint] = [products, offerings]
}

/// The list of an app's products, in one language.
struct CatalogView: APIObject {
  let bundleId: BundleID
  let revision: Int64
  let products: [CatalogProductView]

  static let notes: [String: MemberNote] = ["revision": "Counts the changes of the list."]
}

struct CatalogProductView: APIObject {
  let productId: ProductID
  let type: ProductType
  /// The name in the requested or the nearest language; nil if the product has no texts.
  let name: String?
  let description: String?
  let language: String?
  let credits: LedgerProduct.Credits?
  let entitlements: [EntitlementName]
  /// Nil for a product without files.
  let content: CatalogContentView?

  static let notes: [String: MemberNote] = [
    "language": "Of name and description: the one that was asked for, or the nearest.",
    "entitlements": .entitlementNames,
  ]

  init(_ listed: ListedProduct, _ languages: LanguagePreferences) {
    let product = listed.product
    productId = product.id
    type = product.type
    language = languages.choose(from: product.localisations.keys)
    let text = language.flatMap { product.localisations[$0] }
    name = text?.name
    description = text?.description
    credits = product.credits
    entitlements = product.entitlements
    content = listed.content.map(CatalogContentView.init)
  }
}

/// The files of a product, before it is bought.
struct CatalogContentView: APIObject {
  let version: Int64
  let size: Int64
  let files: Int

  static let notes: [String: MemberNote] = ["size": "Of all files, in bytes.", "files": "The number of files."]

  init(_ content: ProductContent) {
    version = content.version
    size = content.files.reduce(0) { $0 + $1.size }
    files = content.files.count
  }
}

extension LedgerProduct.Credits: APIObject {
  package static let schemaName = "Credits"
}
