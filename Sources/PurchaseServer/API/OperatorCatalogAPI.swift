import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let productsForOperator = OperatorEndpoint<AppPath, PageQuery, NoMembers, PublishedProductList>(
    .get, "/v1/operator/apps/{bundleId}/products", role: .read, name: "productsForOperator",
    summary: "Lists all products of an app by id, also those that are not listed.", answers: "A page of the products")
  static let productForOperator = OperatorEndpoint<ProductPath, NoMembers, NoMembers, PublishedProductView>(
    .get, "/v1/operator/apps/{bundleId}/products/{productId}", role: .read, name: "productForOperator",
    summary: "Returns a product with the files of its current version.",
    answers: "The product, and whether each file can be delivered",
    otherResponses: [OtherResponse(404, "unknownProduct")])
  static let publishProduct = OperatorEndpoint<ProductPath, NoMembers, ProductRequest, LedgerProduct>(
    .put, "/v1/operator/apps/{bundleId}/products/{productId}", role: .admin, name: "publishProduct",
    summary: "Adds a product to the master list, or replaces it.", answers: "The product")
  static let uploadContent = OperatorEndpoint<NoMembers, ContentQuery, BinaryContent, StoredContentView>(
    .put, "/v1/operator/content", role: .admin, name: "uploadContent",
    summary: "Uploads a file into the content store.",
    status: 201, answers: "The stored file",
    otherResponses: [
      OtherResponse(411, "Neither Content-Length nor sha256 was given"),
      OtherResponse(422, "contentDiffers: size or digest are not the given ones"),
    ])
  static let publishContent = OperatorEndpoint<ProductPath, NoMembers, ContentRequest, ProductContent>(
    .put, "/v1/operator/apps/{bundleId}/products/{productId}/content", role: .admin, name: "publishContent",
    summary: "Makes files the current version of a product, all at once.", answers: "The version")

  static let publishing: [any DescribedEndpoint] = [
    productsForOperator, productForOperator, publishProduct, uploadContent, publishContent, offeringsForOperator,
    publishOffering, removeOffering,
  ]
}

struct PublishedProductList: APIObject {
  let products: [PublishedProduct]
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["next": .nextPageAfter]
}

extension PublishedProduct: APIObject {
  package static let notes: [String: MemberNote] = [
    "contentVersion": "Of its files; 0 without files.", "changed": "When it or its files were published last.",
  ]
}

/// A product with the files of its current version.
struct PublishedProductView: APIObject {
  let published: PublishedProduct
  let files: [PublishedFileView]

  static let schemaName = "PublishedProductWithFiles"
}

struct PublishedFileView: APIObject {
  let file: ContentFile
  let isStored: Bool

  static let schemaName = "PublishedFile"
  static let notes: [String: MemberNote] = [
    "isStored":
      "Whether the content store has the whole file. If not, customers cannot download it: upload it again."
  ]
}

struct ProductRequest: APIObject {
  let type: ProductType
  let credits: LedgerProduct.Credits?
  let accessDays: Int64?
  let localisations: [String: LedgerProduct.Localisation]?
  let isListed: Bool?
  let entitlements: [EntitlementName]?
  let reason: String?

  static let notes: [String: MemberNote] = [
    "accessDays": .accessDays, "localisations": .localisations, "isListed": .init(defaultValue: .boolean(true)),
    "entitlements": .entitlementNames, "reason": .reason,
  ]
}

struct ContentQuery: APIObject {
  let sha256: DigestText?
}

struct StoredContentView: APIObject {
  let sha256: DigestText
  let size: Int64

  static let schemaName = "StoredContent"
}

struct ContentRequest: APIObject {
  struct File: APIObject {
    let name: String
    let sha256: DigestText
    let mediaType: String

    static let schemaName = "ContentRequestFile"
  }

  let files: [File]
  let reason: String?

  static let notes: [String: MemberNote] = ["files": .init(minItems: 1, maxItems: 1000), "reason": .reason]
}

extension MemberNote {
  fileprivate static let accessDays = MemberNote(
    "For a non-renewing subscription, which requires it: the number of days of access.", minimum: 1, maximum: 36_500)
  fileprivate static let localisations = MemberNote("By language tag, such as pt-BR.")
  static let entitlementNames = MemberNote(
    "The names of the entitlements that the product gives, such as club. Without names it gives none by name.",
    maxItems: 20)
}

extension LedgerProduct: APIObject {
  package static let schemaName = "Product"
  package static let notes: [String: MemberNote] = [
    "accessDays": .accessDays, "localisations": .localisations, "entitlements": .entitlementNames,
  ]
}

extension LedgerProduct.Localisation: APIObject {}

extension ProductContent: APIObject {}

extension ContentFile: APIObject {
  package static let notes: [String: MemberNote] = ["size": "In bytes.", "sha256": .init(pattern: SHA256Text.pattern)]
}
