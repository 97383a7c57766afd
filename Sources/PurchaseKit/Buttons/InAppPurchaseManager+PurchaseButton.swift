extension InAppPurchaseManager {
  /// Returns the current state of a product's buy button.
  ///
  /// The state may change with every notification of the manager, with the device's restrictions, and with obstacles to
  /// a delivery, such as frozen credits. The last two change without a notification, so read the state again when a
  /// screen appears.
  public func purchaseButton(for productIdentifier: String) -> PurchaseButton {
    PurchaseButton(
      PurchaseButton.Properties(
        price: fetchedProducts[productIdentifier]?.displayPrice,
        isInvalid: invalidProductIdentifiers.contains(productIdentifier),
        requestFailed: unansweredProductIdentifiers.contains(productIdentifier),
        paymentsAllowed: canMakePayments, obstacle: obstacle(to: productIdentifier),
        payment: openPayment(for: productIdentifier)))
  }
}
