import Foundation
import StoreModel

/// The reason why a payment failed. It is stored, so it survives a relaunch.
struct PaymentFailure: Error, Hashable, Codable, Sendable {
  let domain: String
  let code: Int
  /// Text for the customer.
  let message: String
  /// The cause, as text for the developer.
  let underlying: String?
  /// The underlying error, if the store sent one.
  var underlyingError: AppError.Underlying?
  /// What StoreKit 2 distinguishes and the code does not; nil for all other failures.
  var cause: Cause?

  enum Cause: String, Hashable, Codable, Sendable {
    /// No store is available: see ``PaymentFailure/noStore(_:)``.
    case noStore
    /// The app did not continue the payment in another storefront.
    case storefrontDeclined
    /// The quantity is not 1 to 10, or is more than 1 for a product that cannot be bought more than once.
    case invalidQuantity
  }

  init(_ code: SKError.Code, _ message: String, underlying: String? = nil) {
    domain = SKErrorDomain
    self.code = code.rawValue
    self.message = message
    self.underlying = underlying
  }

  /// Makes the failure for an error that the store sent.
  init(_ error: AppError, underlying: String? = nil) {
    domain = error.domain
    code = error.code
    message = error.message ?? Self.text(for: error)
    self.underlying = underlying
    underlyingError = error.underlying
  }

  /// Makes the failure that an app receives for a refusal.
  init(_ refusal: StoreRefusal) {
    if let error = refusal.appError {
      self.init(error, underlying: refusal.message)
      return
    }
    let code: SKError.Code =
      switch refusal.code {
      case .productNotAvailable: .storeProductNotAvailable
      case .paymentInvalid, .paymentConflict: .paymentInvalid
      case .paymentNotAllowed: .paymentNotAllowed
      case .accountGone: .clientInvalid
      default: .unknown
      }
    self.init(code, refusal.message, underlying: "The store refused: \(refusal.code)")
  }

  /// The failure if the store refused the password, and the customer gave up or had no attempts left.
  static func passwordRefused(_ refusal: StoreRefusal) -> PaymentFailure {
    PaymentFailure(AppError(domain: "SSServerErrorDomain", code: 5020), underlying: refusal.message)
  }

  static let cancelled = PaymentFailure(AppError(domain: SKErrorDomain, code: SKError.Code.paymentCancelled.rawValue))
  static let notAllowed = PaymentFailure(AppError(domain: SKErrorDomain, code: SKError.Code.paymentNotAllowed.rawValue))

  /// Whether the customer has cancelled the payment.
  var isCancelled: Bool { domain == SKErrorDomain && code == SKError.Code.paymentCancelled.rawValue }

  /// Whether the payment failed because purchases are not allowed on this device.
  var isNotAllowed: Bool { domain == SKErrorDomain && code == SKError.Code.paymentNotAllowed.rawValue }

  /// The failure if no store is available.
  static func noStore(_ reason: String) -> PaymentFailure {
    var failure = PaymentFailure(AppError(domain: SKErrorDomain, code: 0), underlying: reason)
    failure.cause = .noStore
    return failure
  }

  /// The device's text for an error without a message.
  private static func text(for error: AppError) -> String {
    switch (error.domain, error.code) {
    case (SKErrorDomain, 0): "Cannot connect to iTunes Store"
    case (SKErrorDomain, 2): "The customer cancelled."
    case (SKErrorDomain, 4): "In-App Purchases are not allowed"
    case ("SSServerErrorDomain", 5002): "An unknown error has occurred"
    case ("SSServerErrorDomain", 5020): "Forget Your Password?"
    default: "The purchase could not be completed. (\(error.domain) \(error.code))"
    }
  }

  /// The error that the app receives.
  var error: any Error {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let underlying { userInfo[NSLocalizedFailureReasonErrorKey] = underlying }
    if let underlyingError {
      userInfo[NSUnderlyingErrorKey] = NSError(domain: underlyingError.domain, code: underlyingError.code)
    } else if let underlying {
      userInfo[NSUnderlyingErrorKey] = NSError(
        domain: "OpenStoreKit", code: 0, userInfo: [NSLocalizedDescriptionKey: underlying])
    }
    let error = NSError(domain: domain, code: code, userInfo: userInfo)
    return domain == SKErrorDomain ? SKError(_nsError: error) : error
  }
}

/// The errors that apps receive for failed requests to the store. Each can be cast to `NSError`, and has a domain and a
/// code of StoreKit.
enum StoreErrors {
  /// Connection errors become errors of `NSURLErrorDomain`, as with Apple's requests. Refusals become the errors that
  /// the store sent. All others, such as those of a device that is not configured, become `SKErrorDomain` 0 with the
  /// reason.
  static func appError(for error: any Error) -> any Error {
    switch error {
    case StoreConnectionFailure.unreachable: network(.cannotConnectToHost, "\(error)")
    case StoreConnectionFailure.noAnswer: network(.networkConnectionLost, "\(error)")
    case is StoreConnectionFailure: network(.badServerResponse, "\(error)")
    case let error as URLError: network(error.code, error.localizedDescription)
    case let refusal as StoreRefusal: PaymentFailure(refusal).error
    case let failure as PaymentFailure: failure.error
    case let error as SKError: error
    default: PaymentFailure.noStore("\(error)").error
    }
  }

  private static func network(_ code: URLError.Code, _ reason: String) -> NSError {
    NSError(
      domain: NSURLErrorDomain, code: code.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: "The App Store cannot be reached.", NSLocalizedFailureReasonErrorKey: reason,
      ])
  }
}
