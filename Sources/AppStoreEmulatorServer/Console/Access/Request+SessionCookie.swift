import Foundation
import HTTPTypes
import Hummingbird
import WebSupport

/// The cookie that says which session of the console a browser has.
enum SessionCookie {
  /// Cookies are shared by all ports of a host, so the name says whose it is.
  static func name(for request: Request) -> String {
    let port = HostAuthority(request.head.authority ?? "")?.port
    return "openstorekit-console" + (port.map { "-\($0)" } ?? "")
  }

  /// - Parameter value: empty to have it forgotten.
  static func header(_ value: String, for request: Request, isSecure: Bool) -> String {
    "\(name(for: request))=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
      + (value.isEmpty ? "; Max-Age=0" : "")
  }
}

extension Request {
  /// What the browser keeps of its session.
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
