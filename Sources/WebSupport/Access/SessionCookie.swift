import Foundation
import HTTPTypes
import Hummingbird

/// The cookie with the session of a browser. Scripts cannot read it, and requests of other sites do not have it.
package struct SessionCookie: Sendable {
  private let name: String
  /// The path below which browsers send it.
  private let path: String

  package init(_ name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The name contains the port, because browsers send cookies to all ports of a host.
  private func name(for request: Request) -> String {
    let port = HostAuthority(request.head.authority ?? "")?.port
    return name + (port.map { "-\($0)" } ?? "")
  }

  /// Returns the value of a `Set-Cookie` header for the session.
  ///
  /// - Parameters:
  ///   - value: the value of the cookie; empty to delete the cookie.
  ///   - isSecure: whether browsers may send it over https only.
  func header(_ value: String, for request: Request, isSecure: Bool) -> String {
    "\(name(for: request))=\(value); Path=\(path); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
      + (value.isEmpty ? "; Max-Age=0" : "")
  }

  /// Returns the value of the cookie; nil if the request has none.
  package func value(in request: Request) -> String? {
    let name = name(for: request)
    for header in request.headers[values: .cookie] {
      for pair in header.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, parts[0] == name { return parts[1] }
      }
    }
    return nil
  }
}
