import APIDescription
import Foundation
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel

/// The operator's endpoints to publish products and their files.
struct OperatorCatalogRoutes: Sendable {
  let ledger: Ledger
  let door: OperatorAuthentication
  let content: any ContentStore
  /// The maximum size of a file, in bytes.
  let uploadLimitBytes: Int64

  /// The path for uploads.
  static let uploadPath = "/v1/operator/content"

  private struct ProductOrder: Decodable, Sendable {
    static let keys = JSONKeys.object([
      "type": .anything, "credits": .object(["unit": .anything, "amount": .anything]), "accessDays": .anything,
      "localisations": .map(.object(["name": .anything, "description": .anything])), "isListed": .anything,
    ])

    let type: ProductType
    let credits: LedgerProduct.Credits?
    let accessDays: Int64?
    let localisations: [String: LedgerProduct.Localisation]?
    let isListed: Bool?
  }

  private struct StoredContentView: Encodable, Sendable {
    let sha256: String
    let size: Int64
  }

  private struct ContentOrder: Decodable, Sendable {
    struct File: Decodable, Sendable {
      let name: String
      let sha256: String
      let mediaType: String
    }

    static let keys = JSONKeys.object([
      "files": .list(.object(["name": .anything, "sha256": .anything, "mediaType": .anything]))
    ])
    let files: [File]
  }

  func add(to operators: RouterGroup<ServiceContext>) {
    let (ledger, door, content, limit) = (ledger, door, content, uploadLimitBytes)
    operators.put("apps/{bundleId}/products/{productId}") { request, context in
      let who = try await door.identity(request)
      let order = try await request.decoded(
        ProductOrder.self, knowing: ProductOrder.keys, upTo: BodyLimit.list)
      let product = LedgerProduct(
        id: ProductID(try context.pathParameter("productId")), type: order.type, credits: order.credits,
        accessDays: order.accessDays, localisations: order.localisations ?? [:], isListed: order.isListed ?? true)
      try await ledger.publish(product, app: context.app, by: who.name)
      return try Response.json(product)
    }
    operators.put("content") { request, _ in
      _ = try await door.identity(request)
      let expectation = try Self.expectation(request)
      // An upload may take hours. The key is checked again at its end, before the file becomes visible.
      let body = CheckedBody(request.body) { _ = try await door.identity(request) }
      let stored = try await content.publish(body, limitBytes: limit, expecting: expectation)
      return try Response.json(
        StoredContentView(sha256: stored.digest.description, size: stored.size), status: .created)
    }
    operators.put("apps/{bundleId}/products/{productId}/content") { request, context in
      let who = try await door.identity(request)
      let order = try await request.decoded(ContentOrder.self, knowing: ContentOrder.keys, upTo: BodyLimit.list)
      var files: [ContentFile] = []
      for file in order.files {
        guard let digest = ContentDigest(file.sha256), let size = try await content.renew(digest) else {
          throw ErrorResponse(
            .unprocessableContent, "unknownContent",
            "There is no content with the SHA-256 \(file.sha256.prefix(80)). Bring it first: PUT /v1/operator/content.")
        }
        files.append(
          ContentFile(name: file.name, size: size, sha256: file.sha256, mediaType: file.mediaType))
      }
      let product = ProductID(try context.pathParameter("productId"))
      return try Response.json(
        try await ledger.publish(files: files, of: product, app: context.app, by: who.name))
    }
  }

  /// Returns the expected size and digest of an upload, from `Content-Length` and `?sha256=`.
  private static func expectation(_ request: Request) throws -> ContentExpectation {
    try request.expectQuery(["sha256"])
    var expectation = ContentExpectation(
      size: request.headers[.contentLength].flatMap { Int64($0) })
    if let text = request.uri.queryParameters["sha256"] {
      guard let digest = ContentDigest(String(text)) else {
        throw ErrorResponse(
          .badRequest, "malformedRequest", "sha256 is 64 hexadecimal digits in lower case.")
      }
      expectation.digest = digest
    }
    guard expectation.size != nil || expectation.digest != nil else {
      // Without either, an upload that ends early could not be distinguished from a complete one.
      throw ErrorResponse(
        .lengthRequired, "lengthRequired", "Say how long the file is (Content-Length), or its ?sha256=.")
    }
    return expectation
  }
}

/// A body with a check at its end. If the check fails, the reader receives the error instead of the end.
struct CheckedBody: AsyncSequence, Sendable {
  private let body: RequestBody
  private let check: @Sendable () async throws -> Void

  init(_ body: RequestBody, check: @escaping @Sendable () async throws -> Void) {
    self.body = body
    self.check = check
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: RequestBody.AsyncIterator
    fileprivate let check: @Sendable () async throws -> Void

    mutating func next() async throws -> ByteBuffer? {
      if let piece = try await base.next() { return piece }
      try await check()
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: body.makeAsyncIterator(), check: check) }
}
