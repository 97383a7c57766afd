import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// The response to a request for the master list.
  public enum ProductsAnswer: Hashable, Sendable {
    /// The list, and the entity tag for the next request.
    case list(ServerProductList, entityTag: String?)
    /// The current list matches the given tag.
    case notModified
  }

  /// Requests the developer's master list. It needs no token.
  ///
  /// - Parameters:
  ///   - entityTag: the tag of the list that the app has; nil for none.
  ///   - languages: the value of `Accept-Language`; nil for the server's default.
  /// - Throws: ``PurchaseServerError``.
  public func products(unless entityTag: String? = nil, languages: String? = nil) async throws -> ProductsAnswer {
    var fields: [String: String] = [:]
    fields["If-None-Match"] = entityTag
    fields["Accept-Language"] = languages
    let reply = try await open(HTTPCall("GET", endpoints.app.appending(path: "products"), fields: fields))
    if reply.status == 304, entityTag != nil { return .notModified }
    return .list(try ServerEndpoints.decoded(ServerProductList.self, from: reply), entityTag: reply.head["ETag"])
  }
}
