import StoreKit

/// Why a purchase did not start, or its goods were not given.
public enum InAppPurchaseError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// Nobody in this version of the app gives that product. The transaction is kept for one that does.
  case unknownProduct(String)
  /// Paid, but without an identifier or a date.
  case incompleteTransaction(productIdentifier: String)
  /// Somebody else has to approve the payment (Ask to Buy). If they do, the product is given whenever that is, also after
  /// the app was launched again.
  case waitingForApproval(productIdentifier: String)
  /// Its price has not arrived, a payment for it is under way, or the device may not buy.
  case notForSale(String)
  /// ``InAppPurchaseManager/start()`` was not called: nobody would hear of the outcome.
  case notStarted
  /// ``InAppPurchaseManager/stop()`` was called while a purchase or a restore was under way. It goes on; a purchase may be
  /// charged.
  case stopped
  /// Purchases are being restored already; the end of that is told.
  case restoring
  /// StoreKit takes 1 to 10.
  case quantityOutOfRange(Int)
  /// Purchases are restricted on this device.
  case paymentsNotAllowed
  /// Nobody in this version of the app gives that product, so it is not bought.
  case noDelivery(String)
  /// What was to be bought could not be given now, so it is not sold.
  case cannotBeGiven(productIdentifier: String, reason: String)
  /// The payment is not one that the App Store sent and that waits to be resumed.
  case notPending(productIdentifier: String)

  public var description: String {
    switch self {
    case .unknownProduct(let product):
      "\(product) was paid for, but this version of the app does not know it. It will be given by one that does."
    case .incompleteTransaction(let product):
      "A payment for \(product) came without an identifier or a date. It is kept, and will be tried again."
    case .waitingForApproval(let product):
      "\(product) waits for approval. It is given once the purchase is approved."
    case .notForSale(let product):
      "\(product) cannot be bought now: it is being bought already, its price has not arrived, or this device may not buy."
    case .notStarted:
      "The purchase manager is not started. Call start() at launch, before anything is bought."
    case .stopped:
      "The purchase manager was stopped. What is under way goes on, and is given when the manager is started again."
    case .restoring:
      "Purchases are being restored already. Wait for the end of that."
    case .quantityOutOfRange(let quantity):
      "The quantity must be from 1 to 10; it is \(quantity)."
    case .paymentsNotAllowed:
      "In-app purchases are not allowed on this device. Allow them in its restrictions first."
    case .noDelivery(let product):
      "This version of the app does not give \(product), so it was not bought."
    case .cannotBeGiven(let product, let reason):
      "\(product) is not sold at the moment: \(reason). Nothing was paid."
    case .notPending(let product):
      "No payment for \(product) that was begun in the App Store waits to be resumed."
    }
  }

  public var errorDescription: String? { description }
}
