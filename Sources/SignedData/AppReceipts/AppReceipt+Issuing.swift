import StoreModel

extension AppReceipt {
  /// A receipt that an issuer is about to sign, bound to a device. The rest is set afterwards, where it applies.
  ///
  /// - Parameters:
  ///   - receiptType: see ``receiptType(for:)``.
  ///   - bundleID: the app.
  ///   - applicationVersion: the version that asks.
  ///   - device: whom it is issued to; ``sha1Hash`` follows from it.
  ///   - opaqueValue: random; 16 bytes in the App Store's receipts.
  ///   - creationDate: when it is made, in whole seconds: what is finer is not written.
  ///   - inAppPurchases: what it lists.
  public init(
    receiptType: String, bundleID: BundleID, applicationVersion: String, device: DeviceIdentifier,
    opaqueValue: [UInt8], creationDate: StoreDate, inAppPurchases: [InAppPurchase]
  ) {
    let bundleIDBytes = DERWriter.utf8String(bundleID.rawValue)
    self.init(
      receiptType: receiptType, bundleID: bundleID, bundleIDBytes: bundleIDBytes,
      applicationVersion: applicationVersion, opaqueValue: opaqueValue,
      sha1Hash: Self.hash(device: device, opaqueValue: opaqueValue, bundleIDBytes: bundleIDBytes),
      creationDate: creationDate)
    self.inAppPurchases = inAppPurchases
  }

  /// The word for an environment in attribute 0.
  public static func receiptType(for environment: StoreEnvironment) -> String {
    switch environment {
    case .production: "Production"
    case .sandbox: "ProductionSandbox"
    case .xcode: "Xcode"
    }
  }
}
