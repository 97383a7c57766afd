import StoreModel

/// The server's refusal of a request or a purchase. Documentation/purchase-server.md lists the codes of refused purchases.
public struct ServerRefusal: CustomerFacingError, Hashable, Codable, Sendable {
  /// The HTTP status; 422 for the refusal of a single purchase.
  public let status: Int
  /// A code for programs, such as `refunded`.
  public let code: String
  /// A text for people.
  public let message: String
  /// The number of seconds that the server asks the client to wait; nil if it does not ask.
  public let retryAfterSeconds: Int?

  public init(status: Int, code: String, message: String, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfterSeconds = retryAfterSeconds
  }

  public var description: String { message }

  /// The text for the customer. Some messages of the server name product identifiers, which the customer does not know.
  public func customerMessage(_ names: CustomerNames) -> String {
    switch code {
    case "unknownProduct": "The shop’s server does not have this product yet. Try again later."
    case "otherProduct", "otherType", "otherPurchase":
      "The shop’s server and the App Store disagree about this product. Contact us."
    default: message
    }
  }

  /// Whether the receipt was made in the second in which the installation registered, so that the server cannot tell
  /// which was first.
  var isAboutSecondOfRegistration: Bool { code == "proofNotNewer" }

  /// Whether the same request may succeed later.
  public var isTemporary: Bool { status == 408 || status == 429 || status >= 500 }
}
