import HTTPTypes
import Hummingbird

/// Checks the headers in which browsers report the origin of a request. Other programs do not send them.
package enum BrowserOrigin {
  /// Refuses requests from pages of another origin.
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

  /// Refuses requests that are not from a page of this server. Another site's form can send the same fields, but every
  /// browser sends the origin of the page.
  ///
  /// - Throws: ``ErrorResponse`` with `foreignOrigin`.
  package static func checkPage(_ request: Request) throws(ErrorResponse) {
    try check(request)
    guard request.headers[.origin] != nil || request.headers[.secFetchSite] != nil else {
      throw ErrorResponse(
        .forbidden, "foreignOrigin", "Only the pages of this server send this. Programs use the API.")
    }
  }

  /// Returns the host and port of an origin (RFC 6454, section 6.2), or nil if it is not valid.
  private static func authority(of origin: String) -> HostAuthority? {
    guard let scheme = ["http://", "https://"].first(where: origin.hasPrefix) else { return nil }
    return HostAuthority(String(origin.dropFirst(scheme.count)))
  }
}

extension HTTPField.Name {
  /// Fetch Metadata: the relation between the page that sends a request and the server.
  package static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
