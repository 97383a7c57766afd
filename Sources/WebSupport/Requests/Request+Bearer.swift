import Foundation
import HTTPTypes
import Hummingbird

extension Request {
  /// The token of `Authorization: Bearer …` (RFC 6750), or nil.
  package var bearerToken: String? {
    guard let value = headers[.authorization] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    let token = parts[1].trimmingCharacters(in: .whitespaces)
    return token.isEmpty || token.utf8.count > 8192 ? nil : token
  }
}
