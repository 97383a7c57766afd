import APIDescription
import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The operator's endpoints to list and publish products and their files.
struct OperatorCatalogRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  let content: any ContentStore
  /// The maximum size of a file, in bytes.
  let uploadLimitBytes: Int64

  func add(to router: Router<ServiceContext>) {
    let (ledger, authentication, content, limit) = (ledger, authentication, content, uploadLimitBytes)
    addOfferings(to: router)
    router.serve(ServiceEndpoints.productsForOperator, for: authentication) { request, _ in
      let page = try await ledger.products(
        of: request.path.bundleId, after: request.query.after?.key, limit: request.query.count)
      return PublishedProductList(products: page.elements, next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.productForOperator, for: authentication) { request, _ in
      let (product, published) = try await ledger.product(request.path.productId, of: request.path.bundleId)
      var files: [PublishedFileView] = []
      for file in published?.files ?? [] {
        var stored: Int64?
        if let digest = ContentDigest(file.sha256) { stored = try await content.size(of: digest) }
        files.append(PublishedFileView(file: file, isStored: stored == file.size))
      }
      return PublishedProductView(published: product, files: files)
    }
    router.serve(
      ServiceEndpoints.publishProduct, bodyLimit: BodyLimit.list, for: authentication
    ) { request, identity in
      let (path, body) = (request.path, request.body)
      try OperatorReason.check(body.reason)
      let product = LedgerProduct(
        id: path.productId, type: body.type, credits: body.credits, accessDays: body.accessDays,
        localisations: body.localisations ?? [:], isListed: body.isListed ?? true,
        entitlements: body.entitlements ?? [])
      try await ledger.publish(product, app: path.bundleId, by: identity.name, reason: body.reason)
      return product
    }
    router.serve(ServiceEndpoints.uploadContent, for: authentication) { request, _ in
      let expectation = try Self.expectation(request)
      // An upload may take hours. The key must still be valid when it ends, before the file becomes visible.
      let body = CheckedBody(request.request.body) {
        _ = try await authentication.identity(request.request, with: ServiceEndpoints.uploadContent.role)
      }
      let stored = try await content.publish(body, limitBytes: limit, expecting: expectation)
      return StoredContentView(sha256: DigestText(rawValue: stored.digest.description), size: stored.size)
    }
    router.serve(
      ServiceEndpoints.publishContent, bodyLimit: BodyLimit.list, for: authentication
    ) { request, identity in
      try OperatorReason.check(request.body.reason)
      var files: [ContentFile] = []
      for file in request.body.files {
        guard let digest = ContentDigest(file.sha256.rawValue), let size = try await content.renew(digest) else {
          throw ErrorResponse(
            .unprocessableContent, "unknownContent",
            "There is no content with the SHA-256 \(file.sha256.rawValue.prefix(80)). Upload it first: PUT /v1/operator/content."
          )
        }
        files.append(
          ContentFile(name: file.name, size: size, sha256: file.sha256.rawValue, mediaType: file.mediaType))
      }
      return try await ledger.publish(
        files: files, of: request.path.productId, app: request.path.bundleId, by: identity.name,
        reason: request.body.reason)
    }
  }

  /// Returns the size and digest that the client has sent as `Content-Length` and `?sha256=`.
  private static func expectation(
    _ request: ServiceRequest<NoMembers, ContentQuery, BinaryContent>
  ) throws -> ContentExpectation {
    var expectation = ContentExpectation(
      size: request.request.headers[.contentLength].flatMap { Int64($0) })
    if let text = request.query.sha256?.rawValue {
      guard let digest = ContentDigest(text) else {
        throw ErrorResponse(
          .badRequest, "malformedRequest", "sha256 is 64 hexadecimal digits in lower case.")
      }
      expectation.digest = digest
    }
    guard expectation.size != nil || expectation.digest != nil else {
      // Without a size or a digest, an upload that ends early could not be distinguished from a complete one.
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
