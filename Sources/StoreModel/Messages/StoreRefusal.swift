/// The store understood, and says no.
public struct StoreRefusal: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  public let code: Code
  /// Words a person can act on.
  public let message: String
  /// The error the app is to see; nil for the one that fits the code.
  public let appError: AppError?

  public init(_ code: Code, _ message: String, appError: AppError? = nil) {
    self.code = code
    self.message = message
    self.appError = appError
  }

  public var description: String { message }

  /// An open set: a later store may say something this device has not heard of.
  public struct Code: StringIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request itself is wrong.
    public static let malformedRequest: Code = "malformedRequest"
    /// No app of that bundle id is in the catalog.
    public static let unknownApp: Code = "unknownApp"
    /// The installation has to register (again).
    public static let unknownInstallation: Code = "unknownInstallation"
    /// Nobody is signed in on this installation.
    public static let signInRequired: Code = "signInRequired"
    /// No such customer, or not that password.
    public static let signInRefused: Code = "signInRefused"
    /// The product is not for sale to this customer.
    public static let productNotAvailable: Code = "productNotAvailable"
    /// Quantity or another parameter is out of range.
    public static let paymentInvalid: Code = "paymentInvalid"
    /// The customer's payment method was declined.
    public static let paymentDeclined: Code = "paymentDeclined"
    /// This device, or its user, may not pay.
    public static let paymentNotAllowed: Code = "paymentNotAllowed"
    /// Whoever was asked to approve the payment said no, or never answered.
    public static let approvalDeclined: Code = "approvalDeclined"
    /// The customer has something to settle with the store first, such as new terms. What was to be bought is bought, as a
    /// transaction of its own, once that is settled.
    public static let purchaseInterrupted: Code = "purchaseInterrupted"
    /// The store failed, in the way that `appError` says.
    public static let storeFailure: Code = "storeFailure"
    /// The payment id was used before for something else.
    public static let paymentConflict: Code = "paymentConflict"
    /// The quote was not made by this store for this installation.
    public static let quoteNotGenuine: Code = "quoteNotGenuine"
    /// The quote was made in an earlier life of this store.
    public static let epochEnded: Code = "epochEnded"
    /// The customer has it already, and nothing was charged.
    public static let alreadyOwned: Code = "alreadyOwned"
    /// The customer's subscription is active, to this product or another of its group.
    public static let alreadySubscribed: Code = "alreadySubscribed"
    /// Another customer signed in while something of the first one's was under way.
    public static let accountChanged: Code = "accountChanged"
    /// The account that confirmed the payment was deleted. One that has its name now is another.
    public static let accountGone: Code = "accountGone"
    /// It was charged, and taken back since.
    public static let purchaseRevoked: Code = "purchaseRevoked"
    /// No such transaction on this installation.
    public static let unknownTransaction: Code = "unknownTransaction"
    /// The store failed; the same request may succeed later.
    public static let temporarilyUnavailable: Code = "temporarilyUnavailable"
  }

  /// Whether asking again, after a sign-in or a while, may give another answer.
  public var mayBeMended: Bool {
    switch code {
    case .temporarilyUnavailable, .unknownInstallation, .signInRequired: true
    default: false
    }
  }

  /// Whether a payment that is refused like this has failed, and will never be charged under its id.
  ///
  /// Not so for a code that is not known here: it must not end a payment that may have been charged.
  public var endsPayment: Bool {
    switch code {
    case .productNotAvailable, .paymentInvalid, .paymentDeclined, .paymentNotAllowed, .approvalDeclined,
      .purchaseInterrupted, .storeFailure, .paymentConflict, .epochEnded, .quoteNotGenuine, .alreadySubscribed,
      .purchaseRevoked, .accountGone:
      true
    default: false
    }
  }
}
