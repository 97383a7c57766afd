import Foundation

/// An error whose description is a text for people, which says what to do.
///
/// `localizedDescription`, which apps and programs log, is that text. Without this protocol it would be only "The
/// operation could not be completed", with the type's name and a number. The public errors of this package's libraries
/// conform to it, except StoreKit's own errors. On Linux, too, they can be cast to `NSError` and back.
public protocol DescribedError: LocalizedError, CustomStringConvertible, NSErrorConvertible {}

extension DescribedError {
  public var errorDescription: String? { description }
}

#if canImport(Darwin)
  /// An error that can be cast to `NSError` and back. On Apple's platforms every error can.
  public protocol NSErrorConvertible: Error {}
#else
  /// An error that can be cast to `NSError` and back, also from `Any`: `userInfo["error"] as! NSError`. On Linux, Swift
  /// casts only errors that conform to `_ObjectiveCBridgeable`.
  ///
  /// The `NSError` has the domain and the code that Swift gives the error, and its text.
  public protocol NSErrorConvertible: Error, _ObjectiveCBridgeable where _ObjectiveCType == NSError {}

  extension NSErrorConvertible {
    public func _bridgeToObjectiveC() -> NSError { WrappedError(self) }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
      result = (source as? WrappedError)?.wrapped as? Self
    }

    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
      _forceBridgeFromObjectiveC(source, result: &result)
      return result != nil
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
      var result: Self?
      if let source { _forceBridgeFromObjectiveC(source, result: &result) }
      guard let result else { preconditionFailure("the error is not of the type \(Self.self)") }
      return result
    }
  }

  /// An `NSError` that contains a Swift error.
  public final class WrappedError: NSError, @unchecked Sendable {
    // Unchecked, because NSError is an open class. Both are immutable.

    public let wrapped: any Error

    /// Returns the same error if it can be cast to `NSError`, and otherwise wraps it.
    public static func castable(_ error: any Error) -> any Error {
      (error as Any) is NSError ? error : WrappedError(error)
    }

    init(_ error: any Error) {
      wrapped = error
      let text = error is any LocalizedError || error is any CustomNSError ? error.localizedDescription : "\(error)"
      super.init(domain: error._domain, code: error._code, userInfo: [NSLocalizedDescriptionKey: text])
    }

    /// Always nil: the wrapped error cannot be archived.
    public required init?(coder: NSCoder) { nil }
  }
#endif
