import HTTPTypes
import Hummingbird

/// What browsers say of where a request comes from; programs say nothing.
package enum BrowserOrigin {
  /// Refuses what a page of another origin sends.
  ///
  /// - Throws: ``ErrorResponse`` with `foreignOrigin`.
  package static func check(_ request: Request) throws(ErrorResponse) {
    if let origin = request.headers[.origin] {
      guard let own = HostAuthority(request.head.authority ?? ""), Self.authority(of: origin) == own else {
        throw ErrorResponse(.forbidden, "foreignOrigin", "Pages of \(origin.prefix(255)) may not use this API.")
      }
    }
    if let site = request.headers[.secFetchSite] {
      guard site == "same-origin" || site == "none" else {
        throw ErrorResponse(.forbidden, "foreignOrigin", "Pages of another site may not use this API.")
      }
    }
  }

  /// The host and port of an origin (RFC 6454, section 6.2); nil unless all of it is one.
  private static func authority(of origin: String) -> HostAuthority? {
    guard let scheme = ["http://", "https://"].first(where: origin.hasPrefix) else { return nil }
    return HostAuthority(String(origin.dropFirst(scheme.count)))
  }
}

extension HTTPField.Name {
  /// Fetch Metadata: how the page that sends a request is related to the server.
  package static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
