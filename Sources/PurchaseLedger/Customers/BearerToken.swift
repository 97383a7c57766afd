import Crypto
import Foundation
import SignedData

/// A secret that authenticates its holder. The ledger stores only its hash.
public struct BearerToken: Hashable, Sendable, CustomStringConvertible {
  /// The text that is sent: a prefix with the token's purpose, an underscore, and 43 characters of base64url (256
  /// bits).
  public let text: String

  public init(text: String) { self.text = text }

  /// Creates a random token.
  ///
  /// - Parameter prefix: the purpose, such as `customer`. It makes tokens recognisable, for example in a file that
  ///   contains one by mistake.
  static func make(_ prefix: String) -> BearerToken {
    let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    let text = secret.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return BearerToken(text: "\(prefix)_\(text)")
  }

  /// Whether it is a token of operators: a key, or a session that was begun with one.
  public var isOperators: Bool { text.hasPrefix("operator_") || isOperatorSession }

  /// Whether it is the token of a session of an operator's browser.
  public var isOperatorSession: Bool { text.hasPrefix("session_") }

  /// The SHA-256 of the text, in lower-case hexadecimal digits. A random secret of 256 bits needs no slow password
  /// hash.
  var hash: String { Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: Data(text.utf8)))) }

  /// A fixed text without the secret.
  public var description: String { "a bearer token" }
}
