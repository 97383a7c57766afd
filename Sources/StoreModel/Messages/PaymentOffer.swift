/// An offer that a payment asks for. Introductory offers are given without being asked for.
public struct PaymentOffer: Hashable, Codable, Sendable {
  public let kind: SubscriptionOffer.Kind
  /// The developer's identifier; for an offer code its reference name.
  public let identifier: String
  /// Required for a promotional offer that an app asks for; nil for other kinds.
  public let signature: OfferSignature?

  public init(kind: SubscriptionOffer.Kind, identifier: String, signature: OfferSignature? = nil) {
    self.kind = kind
    self.identifier = identifier
    self.signature = signature
  }
}

/// The developer's signature of a promotional offer, as in `SKPaymentDiscount`.
public struct OfferSignature: Hashable, Codable, Sendable {
  /// The identifier of the key that signed.
  public let keyID: String
  /// A UUID, which the store accepts once.
  public let nonce: String
  /// When the developer signed, in UNIX milliseconds of the real time. The signature is valid for 24 hours.
  public let timestamp: Int64
  /// A DER-encoded ECDSA signature as base64.
  public let signature: String

  public init(keyID: String, nonce: String, timestamp: Int64, signature: String) {
    self.keyID = keyID
    self.nonce = nonce
    self.timestamp = timestamp
    self.signature = signature
  }
}
