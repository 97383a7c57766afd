import Foundation

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
