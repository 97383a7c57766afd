import Foundation
import HTTPTypes
import Hummingbird

extension Request {
  /// The maximum length of a token, in bytes. No token of these servers, and no usual token of an identity provider, is longer.
  private static var tokenLimitBytes: Int { 8_192 }

  /// The token of `Authorization: Bearer …` (RFC 6750); nil if there is none, or if it is too long to be one.
  package var bearerToken: String? { sentToken.flatMap { $0.utf8.count > Self.tokenLimitBytes ? nil : $0 } }

  /// Returns the token of `Authorization: Bearer …`; nil if there is none.
  ///
  /// - Throws: ``ErrorResponse`` with status 401 if the token is too long to be one.
  package func checkedBearerToken() throws(ErrorResponse) -> String? {
    guard let token = sentToken else { return nil }
    guard token.utf8.count <= Self.tokenLimitBytes else {
      throw ErrorResponse(
        .unauthorized, "tokenRefused",
        "The token has \(token.utf8.count) bytes. No token here has more than \(Self.tokenLimitBytes); was more than the token sent?",
        headers: [.wwwAuthenticate: "Bearer"])
    }
    return token
  }

  private var sentToken: String? {
    guard let value = headers[.authorization]?.utf8 else { return nil }
    let (scheme, space) = (Array("bearer".utf8), UInt8(ascii: " "))
    // 0x20 makes a letter lower case, and no other byte of a scheme a letter.
    guard value.starts(with: scheme, by: { $0 | 0x20 == $1 }), value.dropFirst(scheme.count).first == space else {
      return nil
    }
    func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == UInt8(ascii: "\t") }
    let token = value.dropFirst(scheme.count).drop(while: isBlank)
    let end = token.lastIndex { !isBlank($0) }
    return end.map { String(token[...$0]) ?? "" }
  }
}
