import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// The response to a request for the offerings.
  public enum OfferingsAnswer: Hashable, Sendable {
    /// The offerings, and the entity tag for the next request.
    case offerings(ServerOfferings, entityTag: String?)
    /// The current offerings match the given tag.
    case notModified
  }

  /// Requests the developer's offerings. It needs no token.
  ///
  /// - Parameter entityTag: the tag of the offerings that the app has; nil for none.
  /// - Throws: ``PurchaseServerError``.
  public func offerings(unless entityTag: String? = nil) async throws -> OfferingsAnswer {
    var fields: [String: String] = [:]
    fields["If-None-Match"] = entityTag
    let reply = try await open(HTTPCall("GET", endpoints.app.appending(path: "offerings"), fields: fields))
    if reply.status == 304, entityTag != nil { return .notModified }
    return .offerings(try ServerEndpoints.decoded(ServerOfferings.self, from: reply), entityTag: reply.head["ETag"])
  }
}
