import Foundation

/// The domain of `SKError`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKErrorDomain = "SKErrorDomain"

/// An error of StoreKit.
///
/// It bridges to `NSError` and back, as on Apple's platforms: `error as? SKError`, `catch SKError.paymentCancelled` and
/// `(error as NSError).code` all work. Implements Apple's `SKError`.
public struct SKError: _BridgedStoredNSError, _ObjectiveCBridgeable, Hashable, Sendable {
  public let _nsError: NSError

  /// Stores an error of any domain, as on Apple's platforms. Casting an `NSError` of another domain to `SKError` fails.
  ///
  /// `_nsError` keeps its domain. If the error is cast to `NSError`, Foundation on Linux gives it `SKErrorDomain`,
  /// because it uses the domain of the type.
  public init(_nsError error: NSError) { _nsError = error }

  public static var _nsErrorDomain: String { SKErrorDomain }
  public static var errorDomain: String { SKErrorDomain }

  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    public typealias _ErrorType = SKError

    /// Any other error. The underlying error has details.
    case unknown = 0
    case clientInvalid = 1
    /// The customer cancelled.
    case paymentCancelled = 2
    /// A parameter of the payment was not recognised.
    case paymentInvalid = 3
    /// Payments are not allowed on this device, or for its user.
    case paymentNotAllowed = 4
    /// The product is not for sale in this storefront.
    case storeProductNotAvailable = 5
    case cloudServicePermissionDenied = 6
    case cloudServiceNetworkConnectionFailed = 7
    case cloudServiceRevoked = 8
    case privacyAcknowledgementRequired = 9
    case unauthorizedRequestData = 10
    case invalidOfferIdentifier = 11
    case invalidSignature = 12
    case missingOfferParams = 13
    case invalidOfferPrice = 14
    case overlayCancelled = 15
    case overlayInvalidConfiguration = 16
    case overlayTimeout = 17
    case ineligibleForOffer = 18
    case unsupportedPlatform = 19
    case overlayPresentedInBackgroundScene = 20
    /// The customer must set up a payment method. This is Apple's newest code. Its number is taken from the .NET
    /// binding of StoreKit, which follows Apple's header.
    case paymentMethodBindingConfigurationRequired = 21
  }

  /// `.unknown` if the number is not a case, such as 907, which real devices return. `_nsError` keeps the number.
  public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }

  public static var unknown: Code { .unknown }
  public static var clientInvalid: Code { .clientInvalid }
  public static var paymentCancelled: Code { .paymentCancelled }
  public static var paymentInvalid: Code { .paymentInvalid }
  public static var paymentNotAllowed: Code { .paymentNotAllowed }
  public static var storeProductNotAvailable: Code { .storeProductNotAvailable }
  public static var cloudServicePermissionDenied: Code { .cloudServicePermissionDenied }
  public static var cloudServiceNetworkConnectionFailed: Code { .cloudServiceNetworkConnectionFailed }
  public static var cloudServiceRevoked: Code { .cloudServiceRevoked }
  public static var privacyAcknowledgementRequired: Code { .privacyAcknowledgementRequired }
  public static var unauthorizedRequestData: Code { .unauthorizedRequestData }
  public static var invalidOfferIdentifier: Code { .invalidOfferIdentifier }
  public static var invalidSignature: Code { .invalidSignature }
  public static var missingOfferParams: Code { .missingOfferParams }
  public static var invalidOfferPrice: Code { .invalidOfferPrice }
  public static var overlayCancelled: Code { .overlayCancelled }
  public static var overlayInvalidConfiguration: Code { .overlayInvalidConfiguration }
  public static var overlayTimeout: Code { .overlayTimeout }
  public static var ineligibleForOffer: Code { .ineligibleForOffer }
  public static var unsupportedPlatform: Code { .unsupportedPlatform }
  public static var overlayPresentedInBackgroundScene: Code { .overlayPresentedInBackgroundScene }
  public static var paymentMethodBindingConfigurationRequired: Code { .paymentMethodBindingConfigurationRequired }

  // `as? SKError` needs this conformance on Linux.
  public typealias _ObjectiveCType = NSError

  public func _bridgeToObjectiveC() -> NSError { _nsError }

  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout SKError?) {
    precondition(source.domain == SKErrorDomain, "an error of \(source.domain) is cast to SKError")
    result = SKError(_nsError: source)
  }

  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout SKError?) -> Bool {
    guard source.domain == SKErrorDomain else { return false }
    result = SKError(_nsError: source)
    return true
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> SKError {
    var result: SKError?
    if let source { _forceBridgeFromObjectiveC(source, result: &result) }
    return result ?? SKError(.unknown)
  }

  // The inherited implementation calls NSError's hash, which does not return on Linux.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_nsError.domain)
    hasher.combine(_nsError.code)
  }

  // The inherited implementation does not return on Linux either.
  public var hashValue: Int {
    var hasher = Hasher()
    hash(into: &hasher)
    return hasher.finalize()
  }
}
