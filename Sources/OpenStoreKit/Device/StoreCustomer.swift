import StoreModel

/// The customer who uses the device, and answers the sheets that StoreKit shows.
///
/// Pages and tests can pass their own implementation; ``AutomaticCustomer`` is the default.
public protocol StoreCustomer: Sendable {
  /// Answers the sign-in sheet.
  func signIn(_ reason: SignInReason) async -> SignInAnswer

  /// Answers the confirmation sheet, which shows the product, the quantity, the unit price and the total.
  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer

  /// Shows that a payment waits for the App Store, with a button to cancel it. Returns when the customer cancels.
  ///
  /// StoreKit cancels the task when the wait is over: the store has answered, or the payment has failed. The function
  /// must then close what it shows, and return. StoreKit waits for that before it shows the next sheet, so a
  /// cancellation at the moment of the store's answer is not lost.
  func waitForStore(_ payment: PaymentRequest) async -> StoreWaitEnd

  /// Shows an alert, and returns when the customer has closed it.
  func inform(_ notice: StoreNotice) async

  /// Answers the sheet on which a customer requests a refund.
  func requestRefund(_ productID: ProductID, _ transactionID: TransactionID) async -> RefundAnswer

  /// Returns the account with which the device signs in by itself, once, if no account was ever known on this
  /// installation. Nil if the customer signs in by a sheet.
  func accountOfDevice() async -> SignInCredentials?
}

extension StoreCustomer {
  /// Shows nothing, and never cancels.
  public func waitForStore(_ payment: PaymentRequest) async -> StoreWaitEnd {
    let (never, end) = AsyncStream.makeStream(of: Never.self)
    // Ends when the task is cancelled.
    for await _ in never {}
    end.finish()
    return .over
  }

  /// Shows no alert.
  public func inform(_ notice: StoreNotice) async {}

  /// Requests the refund of an unintended purchase.
  public func requestRefund(_ productID: ProductID, _ transactionID: TransactionID) async -> RefundAnswer {
    .request(.unintendedPurchase)
  }

  /// Nil: the customer signs in by a sheet.
  public func accountOfDevice() async -> SignInCredentials? { nil }
}

/// An alert of StoreKit for the customer.
public enum StoreNotice: Hashable, Sendable {
  /// The customer owns the confirmed product already. It is redelivered without a charge.
  case boughtBefore(PaymentQuote)
  /// The subscription changes to the confirmed plan at the quote's start date. Nothing was charged yet.
  case planChangeScheduled(PaymentQuote)
  /// Purchases are restricted on this device, or the store refused the payment for that reason. A payment that the app
  /// has added has failed. The app shows no alert of its own.
  case paymentsNotAllowed
  /// A message of the App Store that the app does not show itself.
  case message(StoreMessage)
}

/// A message of the App Store for the customer. The raw values are those of StoreKit's `Message.Reason`.
public enum StoreMessage: Int, Hashable, Codable, Sendable {
  case generic
  /// The customer is asked to consent to a higher price of a subscription.
  case priceIncreaseConsent
  /// A subscription could not be renewed because of a billing problem.
  case billingIssue
  /// The customer can have an expired subscription again by a win-back offer.
  case winBackOffer
}

/// The reason why StoreKit asks for a sign-in.
public enum SignInReason: Hashable, Sendable {
  /// No customer is signed in on this device.
  case notSignedIn
  /// The store refused the credentials.
  case refused(StoreRefusal)
}

public enum SignInAnswer: Hashable, Sendable {
  case credentials(SignInCredentials)
  case cancel
}

/// How a wait for the store has ended.
public enum StoreWaitEnd: Hashable, Sendable {
  /// The customer has cancelled the payment.
  case cancelled
  /// StoreKit has ended the wait.
  case over
}

public enum ConfirmationAnswer: Hashable, Sendable {
  case confirm
  case cancel
}

public enum RefundAnswer: Hashable, Sendable {
  case request(RefundReason)
  case cancel
}

/// A customer who always signs in with the same account, and confirms every payment.
public struct AutomaticCustomer: StoreCustomer {
  private let credentials: SignInCredentials?

  /// - Parameter credentials: nil for a customer without an account, who cancels the sign-in.
  public init(credentials: SignInCredentials?) { self.credentials = credentials }

  public func signIn(_ reason: SignInReason) async -> SignInAnswer {
    // The store would refuse the same credentials again.
    guard reason == .notSignedIn, let credentials else { return .cancel }
    return .credentials(credentials)
  }

  public func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer { .confirm }

  public func accountOfDevice() async -> SignInCredentials? { credentials }
}
