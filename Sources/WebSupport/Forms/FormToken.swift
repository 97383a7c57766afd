import Crypto
import Foundation

/// The token in a form that makes a call. Only the server can make it, for one call and one session.
///
/// Another site's form has no token, even if a browser sends the session's cookie with it.
enum FormToken {
  /// - Parameter session: the value of the session's cookie.
  static func text(for call: APICall, session: String) -> String {
    code(call, session).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// Whether a form has the token of its call. The time of the comparison reveals nothing about the right token.
  static func isRight(_ token: String?, for call: APICall, session: String) -> Bool {
    let expected = SHA256.hash(data: Data(text(for: call, session: session).utf8))
    return SHA256.hash(data: Data((token ?? "").utf8)) == expected
  }

  private static func code(_ call: APICall, _ session: String) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(
      for: Data(call.name.utf8), using: SymmetricKey(data: Data("form \(session)".utf8)))
  }
}
