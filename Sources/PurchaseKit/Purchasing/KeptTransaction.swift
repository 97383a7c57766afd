import StoreKit

/// A transaction that was paid for and not given: neither lost nor finished.
public struct KeptTransaction: Sendable {
  public let transaction: SKPaymentTransaction
  /// Why it was not given when that was last tried.
  public let error: any Error
}
