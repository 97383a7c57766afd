import StoreModel

/// The person in front of the device: who answers the sheets that StoreKit shows.
///
/// A page or a test injects its own; ``AutomaticCustomer`` is the default.
public protocol StoreCustomer: Sendable {
  /// Answers the sign-in sheet. `reason` says why it is shown.
  func signIn(_ reason: SignInReason) async -> SignInAnswer

  /// Answers the confirmation sheet, which shows product, quantity, unit price and total.
  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer

  /// Shows an alert, and returns once it was read.
  func inform(_ notice: StoreNotice) async
}

extension StoreCustomer {
  /// Reads nothing.
  public func inform(_ notice: StoreNotice) async {}
}

/// Something StoreKit tells the customer.
public enum StoreNotice: Hashable, Sendable {
  /// What was confirmed was bought before: it is delivered again, and nothing is charged.
  case boughtBefore(PaymentQuote)
  /// A payment was added although purchases are restricted on this device. It has failed.
  case paymentsNotAllowed
}

/// Why StoreKit asks for a sign-in.
public enum SignInReason: Hashable, Sendable {
  /// Nobody is signed in on this device.
  case notSignedIn
  /// The store did not accept what was given.
  case refused(StoreRefusal)
}

public enum SignInAnswer: Hashable, Sendable {
  case credentials(SignInCredentials)
  case cancel
}

public enum ConfirmationAnswer: Hashable, Sendable {
  case confirm
  case cancel
}

/// A customer who signs in with the same account each time, and confirms whatever is asked.
public struct AutomaticCustomer: StoreCustomer {
  private let credentials: SignInCredentials?

  /// - Parameter credentials: nil for one who has no account and cancels the sign-in.
  public init(credentials: SignInCredentials?) { self.credentials = credentials }

  public func signIn(_ reason: SignInReason) async -> SignInAnswer {
    // Giving the same refused answer again would go on for ever.
    guard reason == .notSignedIn, let credentials else { return .cancel }
    return .credentials(credentials)
  }

  public func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer { .confirm }
}
