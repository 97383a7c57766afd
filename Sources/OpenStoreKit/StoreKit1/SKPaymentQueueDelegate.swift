import Foundation

/// Asked about what only the app can decide, on the main queue. Implements Apple's `SKPaymentQueueDelegate`.
///
/// Both methods are optional on Apple's platforms and have defaults here; see ``SKPaymentTransactionObserver`` for what
/// that means for subclasses.
public protocol SKPaymentQueueDelegate: NSObjectProtocol {
  /// Whether a payment goes on although the storefront changed after it was confirmed; by default it does.
  ///
  /// False, or no answer within a second, fails the payment with ``SKError/storeProductNotAvailable``.
  func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool

  /// Whether the sheet about a subscription's higher price is shown at once. Not asked here: there is no such sheet.
  func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
  public func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool { true }

  public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}
