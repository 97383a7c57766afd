/// Thrown when the store understood a request and refuses it.
public struct StoreRefusal: DescribedError, Hashable, Codable, Sendable {
  public let code: Code
  /// A text for people, which explains what they can do.
  public let message: String
  /// The error that the app receives; nil for the standard error of the code.
  public let appError: AppError?

  public init(_ code: Code, _ message: String, appError: AppError? = nil) {
    self.code = code
    self.message = message
    self.appError = appError
  }

  public var description: String { message }

  /// The reason of a refusal. Later versions of the store may send codes that are unknown here.
  public struct Code: StringIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request is invalid.
    public static let malformedRequest: Code = "malformedRequest"
    /// The store has no app with that bundle id.
    public static let unknownApp: Code = "unknownApp"
    /// The installation must register (again).
    public static let unknownInstallation: Code = "unknownInstallation"
    /// No customer is signed in on this installation.
    public static let signInRequired: Code = "signInRequired"
    /// The customer does not exist, or the password is wrong.
    public static let signInRefused: Code = "signInRefused"
    /// The product is not for sale to this customer.
    public static let productNotAvailable: Code = "productNotAvailable"
    /// Quantity or another parameter is out of range.
    public static let paymentInvalid: Code = "paymentInvalid"
    /// The offer does not exist, its signature is invalid, or the customer is not eligible. `appError` has the reason.
    public static let offerNotAvailable: Code = "offerNotAvailable"
    /// The customer's payment method was declined.
    public static let paymentDeclined: Code = "paymentDeclined"
    /// Payments are not allowed on this device, or for this customer.
    public static let paymentNotAllowed: Code = "paymentNotAllowed"
    /// The payment was not approved (Ask to Buy), or not in time.
    public static let approvalDeclined: Code = "approvalDeclined"
    /// The customer must first do something in the App Store, such as accept new terms. After that the store makes the
    /// purchase, as a separate transaction.
    public static let purchaseInterrupted: Code = "purchaseInterrupted"
    /// The store failed with the error in `appError`.
    public static let storeFailure: Code = "storeFailure"
    /// The payment id was used before for another payment.
    public static let paymentConflict: Code = "paymentConflict"
    /// This store did not make the quote, or made it for another installation.
    public static let quoteNotGenuine: Code = "quoteNotGenuine"
    /// The quote or the revision was made in an earlier epoch: before the store was reset or restored from a snapshot.
    public static let epochEnded: Code = "epochEnded"
    /// The customer owns the product already, and was not charged.
    public static let alreadyOwned: Code = "alreadyOwned"
    /// The customer has an active subscription to this product or another product of its group.
    public static let alreadySubscribed: Code = "alreadySubscribed"
    /// Another customer signed in while an operation of the previous customer was not complete.
    public static let accountChanged: Code = "accountChanged"
    /// The account that confirmed the payment was deleted. A new account with the same name is a different account.
    public static let accountGone: Code = "accountGone"
    /// The customer was charged, and the purchase was revoked since then.
    public static let purchaseRevoked: Code = "purchaseRevoked"
    /// The installation has no such transaction.
    public static let unknownTransaction: Code = "unknownTransaction"
    /// The purchase cannot be refunded, or was refunded already.
    public static let refundNotPossible: Code = "refundNotPossible"
    /// A refund of the purchase was requested already, and is not decided yet.
    public static let refundRequested: Code = "refundRequested"
    /// The store has a temporary failure. The same request may succeed later.
    public static let temporarilyUnavailable: Code = "temporarilyUnavailable"
  }

  /// Whether the same request may succeed later, such as after a registration or a sign-in.
  public var isRetryable: Bool {
    switch code {
    case .temporarilyUnavailable, .unknownInstallation, .signInRequired: true
    default: false
    }
  }

  /// Whether this refusal ends the payment permanently. The store will not charge it later under the same id.
  ///
  /// False for unknown codes, because the payment may have been charged.
  public var endsPayment: Bool {
    switch code {
    case .productNotAvailable, .paymentInvalid, .paymentDeclined, .paymentNotAllowed, .approvalDeclined,
      .offerNotAvailable, .purchaseInterrupted, .storeFailure, .paymentConflict, .epochEnded, .quoteNotGenuine,
      .alreadySubscribed,
      .purchaseRevoked, .accountGone:
      true
    default: false
    }
  }
}
