import HTTPTypes
import Hummingbird

/// What browsers say of where a request comes from; programs say nothing.
package enum BrowserOrigin {
  /// Refuses what a page of another origin sends.
  ///
  /// - Throws: ``DoorRefusal`` with `foreignOrigin`.
  package static func check(_ request: Request) throws(DoorRefusal) {
    let authority = request.head.authority ?? ""
    if let origin = request.headers[.origin] {
      guard origin == "http://\(authority)" || origin == "https://\(authority)" else {
        throw DoorRefusal(.forbidden, "foreignOrigin", "Pages of \(origin) may not use this door.")
      }
    }
    if let site = request.headers[.secFetchSite] {
      guard site == "same-origin" || site == "none" else {
        throw DoorRefusal(.forbidden, "foreignOrigin", "Pages of another site may not use this door.")
      }
    }
  }
}

extension HTTPField.Name {
  /// Fetch Metadata: how the page that sends a request is related to the server.
  package static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
