import Foundation

/// A signed promotional offer for a payment. Implements Apple's `SKPaymentDiscount`.
open class SKPaymentDiscount: NSObject, @unchecked Sendable {
  open var identifier: String { storedIdentifier }
  open var keyIdentifier: String { storedKeyIdentifier }
  open var nonce: UUID { storedNonce }
  /// Base64 of a DER-encoded ECDSA signature.
  open var signature: String { storedSignature }
  /// UNIX milliseconds.
  open var timestamp: NSNumber { storedTimestamp }

  private let storedIdentifier: String
  private let storedKeyIdentifier: String
  private let storedNonce: UUID
  private let storedSignature: String
  private let storedTimestamp: NSNumber

  /// A discount without content, for subclasses in a client's tests.
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
}
