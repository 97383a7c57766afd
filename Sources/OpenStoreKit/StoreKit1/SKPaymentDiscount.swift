import Foundation
import StoreModel

/// A signed promotional offer for a payment. Implements Apple's `SKPaymentDiscount`.
open class SKPaymentDiscount: NSObject, @unchecked Sendable {
  open var identifier: String { storedIdentifier }
  open var keyIdentifier: String { storedKeyIdentifier }
  open var nonce: UUID { storedNonce }
  /// A DER-encoded ECDSA signature as base64.
  open var signature: String { storedSignature }
  /// The time in UNIX milliseconds.
  open var timestamp: NSNumber { storedTimestamp }

  private let storedIdentifier: String
  private let storedKeyIdentifier: String
  private let storedNonce: UUID
  private let storedSignature: String
  private let storedTimestamp: NSNumber

  /// An empty discount, for subclasses in an app's tests.
  public override init() {
    storedIdentifier = ""
    storedKeyIdentifier = ""
    storedNonce = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    storedSignature = ""
    storedTimestamp = 0
    super.init()
  }

  public init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: NSNumber) {
    storedIdentifier = identifier
    storedKeyIdentifier = keyIdentifier
    storedNonce = nonce
    storedSignature = signature
    storedTimestamp = timestamp
    super.init()
  }

  /// The discount of a stored payment's offer. Nil if the offer has no signature: only promotional offers that an app
  /// adds to a payment have one.
  convenience init?(_ offer: PaymentOffer) {
    guard let signature = offer.signature, let nonce = UUID(uuidString: signature.nonce) else { return nil }
    self.init(
      identifier: offer.identifier, keyIdentifier: signature.keyID, nonce: nonce, signature: signature.signature,
      timestamp: NSNumber(value: signature.timestamp))
  }

  /// Whether the identifier, the key identifier and the signature are present.
  var isComplete: Bool { !identifier.isEmpty && !keyIdentifier.isEmpty && !signature.isEmpty }
}

extension PaymentOffer {
  init(_ discount: SKPaymentDiscount) {
    self.init(
      kind: .promotional, identifier: discount.identifier,
      signature: OfferSignature(
        keyID: discount.keyIdentifier, nonce: discount.nonce.uuidString.lowercased(),
        timestamp: discount.timestamp.int64Value, signature: discount.signature))
  }
}
