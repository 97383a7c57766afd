import Crypto
import Foundation

/// The signatures of a message by Standard Webhooks: HMAC-SHA256 over id, time and body.
///
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
enum WebhookSignature {
  /// Returns the value of the header field `webhook-signature`: a signature for each key, with spaces between them.
  ///
  /// - Parameters:
  ///   - id: the value of `webhook-id`.
  ///   - seconds: the value of `webhook-timestamp`: the time of the attempt, as UNIX time in seconds.
  ///   - keys: the bytes of the secrets that are valid, the newest first.
  static func header(id: String, seconds: Int64, body: Data, keys: [Data]) -> String {
    let content = Data("\(id).\(seconds).".utf8) + body
    return keys.map { key in
      let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: key))
      return "v1,\(Data(code).base64EncodedString())"
    }.joined(separator: " ")
  }
}
