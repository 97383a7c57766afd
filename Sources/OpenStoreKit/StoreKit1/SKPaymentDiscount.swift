import Foundation

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
}
