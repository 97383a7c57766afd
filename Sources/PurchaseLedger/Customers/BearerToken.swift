import Crypto
import Foundation
import SignedData

/// A secret that opens what belongs to its holder. The ledger keeps its hash only.
public struct BearerToken: Hashable, Sendable, CustomStringConvertible {
  /// What is sent: a prefix that says what it is for, and 43 characters of base64url (256 bits).
  public let text: String

  public init(text: String) { self.text = text }

  /// A new one, from the system's generator.
  ///
  /// - Parameter prefix: such as `customer`: whoever finds a token in a file knows what it is.
  static func make(_ prefix: String) -> BearerToken {
    let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    let text = secret.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return BearerToken(text: "\(prefix)_\(text)")
  }

  /// SHA-256, in lower-case hexadecimal. A secret of 256 bits needs no slower one.
  var hash: String { Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: Data(text.utf8)))) }

  /// Never the secret.
  public var description: String { "a bearer token" }
}
