extension InAppPurchaseManager {
  /// What the product's buy button is to show at this moment.
  ///
  /// It changes with every notification of the manager, with the device's restrictions, and with what keeps a delivery from
  /// giving, such as credits that are frozen. The last two change without a notification: ask again when a screen appears.
  public func purchaseButton(for productIdentifier: String) -> PurchaseButton {
    PurchaseButton(
      PurchaseButton.Facts(
        price: fetchedProducts[productIdentifier]?.displayPrice,
        isInvalid: invalidProductIdentifiers.contains(productIdentifier),
        requestFailed: unansweredProductIdentifiers.contains(productIdentifier),
        paymentsAllowed: canMakePayments, obstacle: obstacle(to: productIdentifier),
        payment: openPayment(for: productIdentifier)))
  }
}
