import StoreModel

extension AppReceipt {
  /// Makes a receipt for signing, bound to a device. The caller then sets the other properties that apply.
  ///
  /// - Parameters:
  ///   - receiptType: see ``receiptType(for:)``.
  ///   - bundleID: the app.
  ///   - applicationVersion: the app's version.
  ///   - device: the device to which the receipt is issued; ``sha1Hash`` is computed from it.
  ///   - opaqueValue: random bytes; 16 in the App Store's receipts.
  ///   - creationDate: the creation date. Only whole seconds are written.
  ///   - inAppPurchases: the listed purchases.
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

  /// The attributes without a documented meaning that receipts of the App Store have on iOS, with their observed values:
  /// the version of the device's operating system (13), an empty text (20), and 3 (25).
  public static let undocumentedAttributes = [
    Attribute(type: 13, value: DERWriter.integer(270_000)), Attribute(type: 20, value: DERWriter.utf8String("")),
    Attribute(type: 25, value: DERWriter.integer(3)),
  ]

  /// The value of attribute 0 for an environment.
  public static func receiptType(for environment: StoreEnvironment) -> String {
    switch environment {
    case .production: "Production"
    case .sandbox: "ProductionSandbox"
    case .xcode: "Xcode"
    }
  }
}
