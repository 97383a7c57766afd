import Foundation

/// The domain of ``SKTestError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKTestErrorDomain = "SKTestErrorDomain"

/// An error of a test session. Implements Apple's `SKTestError`.
///
/// It bridges to `NSError` and back, as `SKError` does. Its description says what to do.
public struct SKTestError: _BridgedStoredNSError, _ObjectiveCBridgeable, Hashable, Sendable {
  public let _nsError: NSError

  public init(_nsError error: NSError) { _nsError = error }

  public static var _nsErrorDomain: String { SKTestErrorDomain }
  public static var errorDomain: String { SKTestErrorDomain }

  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    public typealias _ErrorType = SKTestError

    case serviceUnavailable = 0
    /// The `.storekit` file has no such product.
    case invalidProductIdentifier = 1
    /// The product is of another type than the call needs.
    case invalidProductType = 2
    /// The URL is not of a file.
    case invalidURL = 3
    case fileNotFound = 4
    /// The customer has no subscription to the product.
    case noSubscriptionFound = 5
    case noTransactionFound = 6
    /// The transaction or subscription is not in a state in which this is possible.
    case invalidAction = 7
  }

  public var code: Code { Code(rawValue: _nsError.code) ?? .serviceUnavailable }

  public static var serviceUnavailable: Code { .serviceUnavailable }
  public static var invalidProductIdentifier: Code { .invalidProductIdentifier }
  public static var invalidProductType: Code { .invalidProductType }
  public static var invalidURL: Code { .invalidURL }
  public static var fileNotFound: Code { .fileNotFound }
  public static var noSubscriptionFound: Code { .noSubscriptionFound }
  public static var noTransactionFound: Code { .noTransactionFound }
  public static var invalidAction: Code { .invalidAction }

  /// - Parameter reason: what happened, and what to do.
  init(_ code: Code, _ reason: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: reason])
  }

  // `as? SKTestError` needs this conformance on Linux.
  public typealias _ObjectiveCType = NSError

  public func _bridgeToObjectiveC() -> NSError { _nsError }

  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout SKTestError?) {
    precondition(source.domain == SKTestErrorDomain, "an error of \(source.domain) is cast to SKTestError")
    result = SKTestError(_nsError: source)
  }

  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout SKTestError?) -> Bool {
    guard source.domain == SKTestErrorDomain else { return false }
    result = SKTestError(_nsError: source)
    return true
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> SKTestError {
    var result: SKTestError?
    if let source { _forceBridgeFromObjectiveC(source, result: &result) }
    return result ?? SKTestError(.serviceUnavailable)
  }

  // The inherited implementations call NSError's hash, which does not return on Linux.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_nsError.domain)
    hasher.combine(_nsError.code)
  }

  public var hashValue: Int {
    var hasher = Hasher()
    hash(into: &hasher)
    return hasher.finalize()
  }
}
