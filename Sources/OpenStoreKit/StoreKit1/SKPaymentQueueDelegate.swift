import Foundation

/// Makes decisions for a payment queue. Called on the main queue. Implements Apple's `SKPaymentQueueDelegate`.
///
/// Both methods are optional on Apple's platforms and have default implementations here; see
/// ``SKPaymentTransactionObserver`` for the consequences for subclasses.
public protocol SKPaymentQueueDelegate: NSObjectProtocol {
  /// Whether to continue a payment if the storefront has changed since the customer confirmed the payment. By default
  /// true.
  ///
  /// If the delegate returns false, or does not return within a second, the payment fails with
  /// ``SKError/storeProductNotAvailable``.
  func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool

  /// Whether to show the sheet for a subscription's price increase at once. Never called, because there is no such
  /// sheet.
  func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
  public func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool { true }

  public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}

extension SKPaymentQueueDelegate {
  /// The optional method `paymentQueue(_:shouldContinue:in:)` as an optional value, for calls with `?` and `!`.
  @_disfavoredOverload public var paymentQueue: SKPaymentQueue.OptionalDelegateMethods? {
    SKPaymentQueue.OptionalDelegateMethods(delegate: self)
  }

  @_disfavoredOverload public var paymentQueueShouldShowPriceConsent: ((SKPaymentQueue) -> Bool)? {
    { self.paymentQueueShouldShowPriceConsent($0) }
  }
}

extension SKPaymentQueue {
  /// The methods for `delegate.paymentQueue?(…)`. Not part of Apple's API.
  public struct OptionalDelegateMethods {
    let delegate: any SKPaymentQueueDelegate

    public func callAsFunction(
      _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
      in newStorefront: SKStorefront
    ) -> Bool {
      delegate.paymentQueue(paymentQueue, shouldContinue: transaction, in: newStorefront)
    }
  }
}
