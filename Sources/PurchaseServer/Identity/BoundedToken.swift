import Foundation
import StoreModel

/// Checks that a JSON Web Token can be read in time proportional to its size, before its signature is looked at.
enum BoundedToken {
  /// Whether header and claims are JSON within bounds.
  static func admits(_ token: String) -> Bool {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return false }
    return parts.prefix(2).allSatisfy { part in
      guard let json = decoded(part) else { return false }
      return (try? BoundedJSON.check(json)) != nil
    }
  }

  /// Base64url without padding (RFC 7515, section 2).
  private static func decoded(_ part: Substring.UTF8View) -> Data? {
    var text = part.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    text.append(contentsOf: Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
    return Data(base64Encoded: Data(text))
  }
}
