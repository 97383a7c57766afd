import Foundation
import HTTPTypes
import Hummingbird
import WebSupport

/// The cookie with the session of a browser.
enum SessionCookie {
  /// The name contains the port, because browsers send cookies to all ports of a host.
  static func name(for request: Request) -> String {
    let port = HostAuthority(request.head.authority ?? "")?.port
    return "openstorekit-console" + (port.map { "-\($0)" } ?? "")
  }

  /// Returns the value of a `Set-Cookie` header for the session.
  ///
  /// - Parameter value: the value of the cookie; empty to delete the cookie.
  static func header(_ value: String, for request: Request, isSecure: Bool) -> String {
    "\(name(for: request))=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
      + (value.isEmpty ? "; Max-Age=0" : "")
  }
}

extension Request {
  /// The value of the session cookie; nil if the request has none.
  var sessionCookie: String? {
    let name = SessionCookie.name(for: self)
    for header in headers[values: .cookie] {
      for pair in header.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, parts[0] == name { return parts[1] }
      }
    }
    return nil
  }
}
