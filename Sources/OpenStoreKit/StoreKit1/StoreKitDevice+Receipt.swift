import SignedData

extension StoreKitDevice {
  /// The trust anchors for this device's receipts: the receipt root of the store to which the device was bound at the
  /// first contact. Nil before that.
  public var receiptAnchors: TrustAnchors? {
    // The first fingerprint is of the root of signed transactions, the second of the root of receipts.
    guard let roots = try? journal.rootFingerprints(), roots.count == 2, let root = SHA256Fingerprint(hex: roots[1])
    else { return nil }
    return TrustAnchors(fingerprints: [root])
  }

  /// Loads, verifies and stores the current app receipt. If no customer is signed in, the customer is asked to sign in.
  ///
  /// - Throws: `PaymentFailure` if the customer did not sign in, `StoreRefusal`, `StoreConnectionFailure`, or an error
  ///   of the verification.
  func refreshReceipt() async throws { try await engine.refreshReceipt() }
}
