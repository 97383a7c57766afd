import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let publishProduct = Endpoint<ProductPath, NoMembers, ProductRequest, LedgerProduct>(
    .put, "/v1/operator/apps/{bundleId}/products/{productId}", name: "publishProduct",
    summary: "Adds a product to the master list, or replaces it.", answers: "The product", callers: operators)
  static let uploadContent = Endpoint<NoMembers, ContentQuery, BinaryContent, StoredContentView>(
    .put, "/v1/operator/content", name: "uploadContent", summary: "Uploads a file into the content store.",
    status: 201, answers: "The stored file",
    otherResponses: [
      OtherResponse(411, "Neither Content-Length nor sha256 was given"),
      OtherResponse(422, "contentDiffers: size or digest are not the given ones"),
    ], callers: operators)
  static let publishContent = Endpoint<ProductPath, NoMembers, ContentRequest, ProductContent>(
    .put, "/v1/operator/apps/{bundleId}/products/{productId}/content", name: "publishContent",
    summary: "Makes files the current version of a product, all at once.", answers: "The version",
    callers: operators)

  static let publishing: [any DescribedEndpoint] = [publishProduct, uploadContent, publishContent]
}

struct ProductRequest: APIObject {
  let type: ProductType
  let credits: LedgerProduct.Credits?
  let accessDays: Int64?
  let localisations: [String: LedgerProduct.Localisation]?
  let isListed: Bool?

  static let notes: [String: MemberNote] = [
    "accessDays": .accessDays, "localisations": .localisations, "isListed": .init(defaultValue: .boolean(true)),
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

  static let notes: [String: MemberNote] = ["files": .init(minItems: 1, maxItems: 1000)]
}

extension MemberNote {
  fileprivate static let accessDays = MemberNote(
    "For a non-renewing subscription, which requires it: the number of days of access.", minimum: 1, maximum: 36_500)
  fileprivate static let localisations = MemberNote("By language tag, such as pt-BR.")
}

extension LedgerProduct: APIObject {
  package static let schemaName = "Product"
  package static let notes: [String: MemberNote] = ["accessDays": .accessDays, "localisations": .localisations]
}

extension LedgerProduct.Localisation: APIObject {}

extension ProductContent: APIObject {}

extension ContentFile: APIObject {
  package static let notes: [String: MemberNote] = ["size": "In bytes.", "sha256": .init(pattern: "^[0-9a-f]{64}$")]
}
