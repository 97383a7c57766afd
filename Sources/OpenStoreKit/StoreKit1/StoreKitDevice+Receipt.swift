import SignedData

extension StoreKitDevice {
  /// Who signs this device's receipts: the store it was bound to at first contact. Nil before that.
  public var receiptAnchors: TrustAnchors? {
    // Two fingerprints, of the root of signed transactions and of that of receipts.
    guard let roots = try? journal.rootFingerprints(), roots.count == 2, let root = SHA256Fingerprint(hex: roots[1])
    else { return nil }
    return TrustAnchors(fingerprints: [root])
  }

  /// Fetches the app receipt as it is now, verifies it and keeps it. The customer is asked to sign in where nobody is.
  ///
  /// - Throws: `PaymentFailure` where the customer would not sign in, `StoreRefusal`, `StoreConnectionFailure`, or why
  ///   the receipt cannot be believed.
  func refreshReceipt() async throws { try await engine.refreshReceipt() }
}
