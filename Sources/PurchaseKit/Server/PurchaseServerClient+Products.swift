import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// The answer to a question for the master list.
  public enum ProductsAnswer: Hashable, Sendable {
    /// The list, and what to ask with next time.
    case list(ServerProductList, entityTag: String?)
    /// It is still the one that bore the tag.
    case notModified
  }

  /// The developer's master list (A3). Anybody may read it.
  ///
  /// - Parameters:
  ///   - entityTag: of the list that is known.
  ///   - languages: of `Accept-Language`; nil for whatever the server prefers.
  public func products(unless entityTag: String? = nil, languages: String? = nil) async throws -> ProductsAnswer {
    var fields: [String: String] = [:]
    fields["If-None-Match"] = entityTag
    fields["Accept-Language"] = languages
    let reply = try await open(HTTPCall("GET", doors.app.appending(path: "products"), fields: fields))
    if reply.status == 304, entityTag != nil { return .notModified }
    return .list(try ServerEndpoints.decoded(ServerProductList.self, from: reply), entityTag: reply.head["ETag"])
  }
}
