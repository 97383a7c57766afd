import StoreKit

extension Notification.Name {
  /// Posted by ``InAppPurchaseManager`` when products and prices have arrived.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerProductsFetchedNotification = Notification.Name(
    "InAppPurchaseManagerProductsFetchedNotification")

  /// Posted when a product request failed; the error is under ``InAppPurchaseManager/errorKey``.
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

  /// Posted when a product was paid for and could not be given; the transaction stays unfinished and comes again. The
  /// transaction and the error are under ``InAppPurchaseManager/transactionKey`` and ``InAppPurchaseManager/errorKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let InAppPurchaseManagerTransactionKeptNotification = Notification.Name(
    "InAppPurchaseManagerTransactionKeptNotification")
}
