import Foundation

public protocol SKPaymentQueueDelegate: NSObjectProtocol {
  func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool
}

extension SKPaymentQueueDelegate {
  public func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool { true }
}
