import StoreKit
import StoreModel

/// Thrown when a purchase or a restore cannot begin, or a product cannot be delivered.
public enum InAppPurchaseError: DescribedError, Hashable, Sendable {
  /// This version of the app has no delivery for the paid product. The transaction is kept for a version that has one.
  case unknownProduct(String)
  /// The transaction is paid, but has no identifier or no date.
  case incompleteTransaction(productIdentifier: String)
  /// Another person must approve the payment (Ask to Buy). After an approval the product is delivered, also if the app was
  /// launched again meanwhile.
  case waitingForApproval(productIdentifier: String)
  /// The price is not fetched, a payment for the product has no outcome yet, or the device may not buy.
  case notForSale(String)
  /// ``InAppPurchaseManager/start()`` was not called, so the outcome would not be reported.
  case notStarted
  /// ``InAppPurchaseManager/stop()`` was called during a purchase or a restore, which continues. A purchase may be charged.
  case stopped
  /// A restore is running already; a notification reports its end.
  case restoring
  /// StoreKit accepts quantities from 1 to 10.
  case quantityOutOfRange(Int)
  /// Purchases are restricted on this device.
  case paymentsNotAllowed
  /// This version of the app has no delivery for the product, so it is not bought.
  case noDelivery(String)
  /// The product could not be delivered now, so it is not sold.
  case cannotBeGiven(productIdentifier: String, reason: String)
  /// The payment is not in ``InAppPurchaseManager/pendingStorePayments``.
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
}

extension InAppPurchaseError: CustomerFacingError {
  public func customerMessage(_ names: CustomerNames) -> String {
    switch self {
    case .unknownProduct(let product):
      "You have paid for \(names.product(product)), but this version of the app does not have it. Update the app to "
        + "receive it."
    case .incompleteTransaction(let product):
      "The payment for \(names.product(product)) is incomplete. The app tries again by itself."
    case .waitingForApproval(let product):
      "The purchase of \(names.product(product)) waits for approval. You receive it once the purchase is approved."
    case .notForSale(let product):
      "You cannot buy \(names.product(product)) now. Wait until its price appears, or its current purchase ends."
    case .notStarted, .stopped: "Purchases are not ready yet. What is paid for is not lost. Try again."
    case .restoring: "Your purchases are being restored already."
    case .quantityOutOfRange: "Choose a quantity from 1 to 10."
    case .paymentsNotAllowed:
      "In-app purchases are not allowed on this device. Allow them in its restrictions first."
    case .noDelivery(let product):
      "This version of the app does not have \(names.product(product)), so it was not bought. Update the app."
    case .cannotBeGiven(let product, _):
      "The shop does not sell \(names.product(product)) at the moment. Nothing was paid."
    case .notPending(let product): "The purchase of \(names.product(product)) is no longer waiting."
    }
  }
}
