/// An offer that a payment requests. Introductory offers apply without a request.
public struct PaymentOffer: Hashable, Codable, Sendable {
  public let kind: SubscriptionOffer.Kind
  /// The developer's identifier; for an offer code, its reference name.
  public let identifier: String
  /// A promotional offer that an app requests needs it, or ``compactJWS``. Nil for other kinds.
  public let signature: OfferSignature?
  /// The developer's signature of a promotional offer as a compact JWS, instead of ``signature``.
  public let compactJWS: String?

  public init(
    kind: SubscriptionOffer.Kind, identifier: String, signature: OfferSignature? = nil, compactJWS: String? = nil
  ) {
    self.kind = kind
    self.identifier = identifier
    self.signature = signature
    self.compactJWS = compactJWS
  }
}

/// The developer's signature of a promotional offer, as in `SKPaymentDiscount`.
public struct OfferSignature: Hashable, Codable, Sendable {
  /// The identifier of the key that signed.
  public let keyID: String
  /// A UUID. The store accepts it only once.
  public let nonce: String
  /// The real time at which the developer signed, in UNIX milliseconds. The signature is valid for 24 hours.
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
