extension InAppPurchaseManager {
  /// What the product's buy button is to show at this moment.
  ///
  /// It changes with every notification of the manager, and with the device's restrictions, which may be switched on or off
  /// while the app runs and which nobody tells of: ask again when a screen appears.
  public func purchaseButton(for productIdentifier: String) -> PurchaseButton {
    PurchaseButton(
      PurchaseButton.Facts(
        price: fetchedProducts[productIdentifier]?.displayPrice,
        isInvalid: invalidProductIdentifiers.contains(productIdentifier),
        requestFailed: unansweredProductIdentifiers.contains(productIdentifier),
        paymentsAllowed: canMakePayments, payment: openPayment(for: productIdentifier)))
  }
}
