import StoreKit

extension Notification.Name {
  /// Posted by ``InAppPurchaseManager`` when products and prices were fetched.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerProductsFetchedNotification = Notification.Name(
    "InAppPurchaseManagerProductsFetchedNotification")

  /// Posted when a product request of the app failed; the error is under ``InAppPurchaseManager/errorKey``. The manager
  /// repeats the request, and posts nothing if that fails.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerRequestFailedNotification = Notification.Name(
    "InAppPurchaseManagerRequestFailedNotification")

  /// Posted when a paid product was delivered; the transaction is under ``InAppPurchaseManager/transactionKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionSucceededNotification = Notification.Name(
    "InAppPurchaseManagerTransactionSucceededNotification")

  /// Posted when a payment failed; the transaction, with its error, is under ``InAppPurchaseManager/transactionKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionFailedNotification = Notification.Name(
    "InAppPurchaseManagerTransactionFailedNotification")

  /// Posted when a payment waits for another person's approval, and with StoreKit 1 again at each launch while it
  /// waits; the transaction is under ``InAppPurchaseManager/transactionKey``. The decision is reported by another
  /// notification; with StoreKit 2, only an approval is reported.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionDeferredNotification = Notification.Name(
    "InAppPurchaseManagerTransactionDeferredNotification")

  /// Posted when a paid product could not be delivered; the transaction stays unfinished and is delivered again. The
  /// transaction and the error are under ``InAppPurchaseManager/transactionKey`` and ``InAppPurchaseManager/errorKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionKeptNotification = Notification.Name(
    "InAppPurchaseManagerTransactionKeptNotification")

  /// Posted when a transaction grants nothing (``RefusedPurchase``); it is finished. The transaction and the error are under
  /// ``InAppPurchaseManager/transactionKey`` and ``InAppPurchaseManager/errorKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionRefusedNotification = Notification.Name(
    "InAppPurchaseManagerTransactionRefusedNotification")

  /// Posted when a restore has ended, even if there were no purchases. The ``RestoredPurchases`` are under
  /// ``InAppPurchaseManager/restoredPurchasesKey``. Show the customer a message in both cases.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerRestoreFinishedNotification = Notification.Name(
    "InAppPurchaseManagerRestoreFinishedNotification")

  /// Posted when a restore failed; the error is under ``InAppPurchaseManager/errorKey``. Some products may have been
  /// restored.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerRestoreFailedNotification = Notification.Name(
    "InAppPurchaseManagerRestoreFailedNotification")

  /// Posted when the store revoked products, after the deliveries were notified. The products are under
  /// ``InAppPurchaseManager/productIdentifiersKey``. If a delivery fails to record the revocation, this notification is also
  /// posted before that, with only that delivery's products, and with the error under
  /// ``InAppPurchaseManager/errorKey``. With StoreKit 2, the manager then tries again, and posts it once more when the
  /// revocation is recorded.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerProductsRevokedNotification = Notification.Name(
    "InAppPurchaseManagerProductsRevokedNotification")

  /// Posted when a payment that was begun in the App Store cannot continue at once. The payment is under
  /// ``InAppPurchaseManager/paymentKey``, for ``InAppPurchaseManager/resumeStorePayment(_:)``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerStorePaymentPendingNotification = Notification.Name(
    "InAppPurchaseManagerStorePaymentPendingNotification")
}
