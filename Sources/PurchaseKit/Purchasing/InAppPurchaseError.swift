import StoreKit

/// Why a purchase did not start, or its goods were not given.
public enum InAppPurchaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody in this version of the app gives that product. The transaction is kept for one that does.
  case unknownProduct(String)
  /// Paid, but without an identifier or a date.
  case incompleteTransaction(productIdentifier: String)
  /// Its price has not arrived, or the device may not buy.
  case notForSale(String)
  /// ``InAppPurchaseManager/start()`` was not called: nobody would hear of the outcome.
  case notStarted
  /// ``InAppPurchaseManager/stop()`` was called while the purchase was under way. It goes on, and may be charged.
  case stopped
  /// StoreKit takes 1 to 10.
  case quantityOutOfRange(Int)

  public var description: String {
    switch self {
    case .unknownProduct(let product):
      "\(product) was paid for, but this version of the app does not know it. It will be given by one that does."
    case .incompleteTransaction(let product):
      "A payment for \(product) came without an identifier or a date. It is kept, and will be tried again."
    case .notForSale(let product):
      "\(product) cannot be bought now: its price has not arrived, or this device may not buy."
    case .notStarted:
      "The purchase manager is not started. Call start() at launch, before anything is bought."
    case .stopped:
      "The purchase manager was stopped. The purchase goes on, and is given when the manager is started again."
    case .quantityOutOfRange(let quantity):
      "The quantity must be from 1 to 10; it is \(quantity)."
    }
  }
}

extension Error {
  /// Whether the customer cancelled; there is nothing more to say to them then.
  ///
  /// `SKErrorDomain` 2 says so plainly. `SKErrorDomain` 907 over `AMSErrorDomain` 6 is the same in disguise: the payment
  /// sheet was dismissed.
  public var isPaymentCancellation: Bool {
    let error = self as NSError
    guard error.domain == SKErrorDomain else { return false }
    if error.code == SKError.paymentCancelled.rawValue { return true }
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    return error.code == 907 && underlying?.domain == "AMSErrorDomain" && underlying?.code == 6
  }
}
