import StoreKit

extension Notification.Name {
  /// Posted by ``InAppPurchaseManager`` when products and prices have arrived.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerProductsFetchedNotification = Notification.Name(
    "InAppPurchaseManagerProductsFetchedNotification")

  /// Posted when a product request of the app failed; the error is under ``InAppPurchaseManager/errorKey``. It is made again
  /// by itself; when that fails too, nothing more is posted.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerRequestFailedNotification = Notification.Name(
    "InAppPurchaseManagerRequestFailedNotification")

  /// Posted when a product was paid for and given; the transaction is under ``InAppPurchaseManager/transactionKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionSucceededNotification = Notification.Name(
    "InAppPurchaseManagerTransactionSucceededNotification")

  /// Posted when a payment failed; the transaction, with its error, is under ``InAppPurchaseManager/transactionKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionFailedNotification = Notification.Name(
    "InAppPurchaseManagerTransactionFailedNotification")

  /// Posted when a payment waits for somebody else's approval, and again at each launch while it does; the transaction is
  /// under ``InAppPurchaseManager/transactionKey``. One of the other notifications follows once it is decided.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionDeferredNotification = Notification.Name(
    "InAppPurchaseManagerTransactionDeferredNotification")

  /// Posted when a product was paid for and could not be given; the transaction stays unfinished and comes again. The
  /// transaction and the error are under ``InAppPurchaseManager/transactionKey`` and ``InAppPurchaseManager/errorKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionKeptNotification = Notification.Name(
    "InAppPurchaseManagerTransactionKeptNotification")

  /// Posted when a transaction gives nothing (``RefusedPurchase``); it is finished. The
  /// transaction and the error are under ``InAppPurchaseManager/transactionKey`` and ``InAppPurchaseManager/errorKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionRefusedNotification = Notification.Name(
    "InAppPurchaseManagerTransactionRefusedNotification")

  /// Posted when purchases were restored, also where there were none; what came is under
  /// ``InAppPurchaseManager/restoredPurchasesKey``. Show the customer a message either way.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerRestoreFinishedNotification = Notification.Name(
    "InAppPurchaseManagerRestoreFinishedNotification")

  /// Posted when restoring failed; the error is under ``InAppPurchaseManager/errorKey``. Some of it may have come.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerRestoreFailedNotification = Notification.Name(
    "InAppPurchaseManagerRestoreFailedNotification")

  /// Posted when the store took products back from the customer, and what gave them has heard of it; they are under
  /// ``InAppPurchaseManager/productIdentifiersKey``. Where one could not put it on record, another one with its error comes
  /// before.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerProductsRevokedNotification = Notification.Name(
    "InAppPurchaseManagerProductsRevokedNotification")

  /// Posted when a purchase was begun in the App Store and cannot go on at once; the payment is under
  /// ``InAppPurchaseManager/paymentKey``, for ``InAppPurchaseManager/resumeStorePayment(_:)``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerStorePaymentPendingNotification = Notification.Name(
    "InAppPurchaseManagerStorePaymentPendingNotification")
}
