import APIDescription
import StoreModel

extension ServiceEndpoints {
  static let deliveriesOfCustomer = Endpoint<AppPath, PageQuery, NoMembers, DeliveryList>(
    .get, "/v1/apps/{bundleId}/deliveries", name: "deliveries",
    summary: "Lists the deliveries that have not ended, with new links.", answers: "The deliveries")
  static let download = Endpoint<DownloadPath, NoMembers, NoMembers, BinaryContent>(
    .get, "/v1/downloads/{token}", name: "download", summary: "Returns a file of a delivery, or a part of it.",
    answers: "The file",
    otherResponses: [
      OtherResponse(206, "The part that Range asks for", .raw(BinaryContent.self)),
      OtherResponse(304, "If-None-Match names the file", .none),
      OtherResponse(412, "If-Match does not name the file", .none),
      OtherResponse(
        416,
        "The range has no byte of the file. Content-Range is `bytes */SIZE`, with the size of the file: a range begins at 0 to SIZE - 1, or is the last COUNT bytes, `bytes=-COUNT`, with a COUNT of at least 1",
        .none),
      OtherResponse(403, "deliveryEnded: refunded, moved or revoked"),
      OtherResponse(404, "noSuchLink"),
      OtherResponse(410, "linkExpired: ask for a new one"),
      OtherResponse(503, "contentMissing"),
    ], headers: ["Range", "If-Range"], callers: .everyone)
  static let downloadHead = Endpoint<DownloadPath, NoMembers, NoMembers, NoContent>(
    .head, "/v1/downloads/{token}", name: "downloadHead", summary: "Returns the header of a download.",
    answers: "As GET without a range",
    otherResponses: [
      OtherResponse(304, "If-None-Match names the file", .none),
      OtherResponse(412, "If-Match does not name the file", .none),
    ], callers: .everyone)

  static let deliveries: [any DescribedEndpoint] = [deliveriesOfCustomer, download, downloadHead]
}

struct DownloadPath: APIObject {
  let token: String

  static let notes: [String: MemberNote] = ["token": "The last part of a link."]
}

struct DeliveryList: APIObject {
  let deliveries: [DeliveryView]
  let next: PageCursor?

  static let notes: [String: MemberNote] = [
    "next": "`after` for the next page, which can follow a short page; missing on the last page."
  ]
}

/// Files that a customer can download.
struct DeliveryView: APIObject {
  let id: String
  let productId: ProductID
  let source: String
  let version: Int64
  let files: [DeliveredFileView]

  static let notes: [String: MemberNote] = ["id": .init(format: "uuid"), "version": "Of the product's files."]
}

/// A file: either `inline` or `link`.
struct DeliveredFileView: APIObject {
  let name: String
  let size: Int64
  let sha256: DigestText
  let mediaType: String
  let inline: String?
  let link: String?
  let linkExpires: StoreDate?

  static let schemaName = "DeliveredFile"
  static let schemaDescription: String? = "Either inline or link."
  static let notes: [String: MemberNote] = [
    "size": "In bytes.", "inline": "The whole file in base64.",
    "link": "Relative to the server's address. Every holder of the link can open the file.",
  ]
}
