extension StoreKitDevice {
  /// Fetches the app receipt as it is now, verifies it and keeps it. The customer is asked to sign in where nobody is.
  ///
  /// - Throws: `PaymentFailure` where the customer would not sign in, `StoreRefusal`, `StoreConnectionFailure`, or why
  ///   the receipt cannot be believed.
  func refreshReceipt() async throws { try await engine.refreshReceipt() }
}
