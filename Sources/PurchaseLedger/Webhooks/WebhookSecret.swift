import Crypto
import Foundation

/// The secret with which the messages of a webhook are signed, by Standard Webhooks.
public struct WebhookSecret: Hashable, Sendable, CustomStringConvertible {
  private static let prefix = "whsec_"

  /// The secret as operators and receivers use it: `whsec_` and the base64 of ``key``.
  public let text: String
  /// The key of HMAC-SHA256: 24 to 64 bytes.
  public let key: Data

  /// Returns nil unless `text` is `whsec_` and the base64 of 24 to 64 bytes.
  public init?(text: String) {
    guard text.hasPrefix(Self.prefix), let key = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
      (24...64).contains(key.count)
    else { return nil }
    self.text = text
    self.key = key
  }

  /// Creates a random secret of 256 bits.
  static func make() -> WebhookSecret {
    let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    return WebhookSecret(key: key)
  }

  private init(key: Data) {
    self.key = key
    text = Self.prefix + key.base64EncodedString()
  }

  /// A fixed text without the secret.
  public var description: String { "a webhook secret" }
}

extension WebhookSecret: SQLValueConvertible {
  public var sqlValue: SQLValue { .text(text) }
}

extension SQLRow {
  func secret(_ name: String) throws(LedgerDatabaseError) -> WebhookSecret {
    guard let secret = WebhookSecret(text: try text(name)) else { throw .unexpectedRow("\(name) is not a secret") }
    return secret
  }
}
