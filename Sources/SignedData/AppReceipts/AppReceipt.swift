import Crypto
import StoreModel

/// What an app receipt says (Apple's "Receipt Fields"; types in parentheses are those of its attributes).
///
/// A value of this type says nothing about who signed it: only `Verified<AppReceipt>` does. Whether it has expired
/// (volume purchases) is for the app to decide.
public struct AppReceipt: Hashable, Sendable {
  /// The environment in words (0): `Production`, `ProductionSandbox`, `ProductionVPP`, `ProductionVPPSandbox`, `Xcode`.
  public var receiptType: String
  /// The App Store's number for the app (1); 0 in the sandbox.
  public var appItemID: Int64?
  /// The app (2).
  public let bundleID: BundleID
  /// The bundle id's attribute value as it is encoded (2): part of what ``sha1Hash`` covers.
  public let bundleIDBytes: [UInt8]
  /// `CFBundleVersion` on the iOS family, `CFBundleShortVersionString` on macOS (3).
  public var applicationVersion: String
  /// Part of what ``sha1Hash`` covers (4): 16 bytes from the App Store, 8 from Xcode.
  public var opaqueValue: [UInt8]
  /// Binds the receipt to a device (5): 20 bytes. See ``isIssued(for:)``.
  public var sha1Hash: [UInt8]
  /// When it was asked for (8).
  public var requestDate: StoreDate?
  /// Four ASCII letters, packed (9).
  public var toolVersion: Int64?
  /// Such as `4+` (10).
  public var ageRating: String?
  /// The App Store's number for the developer (11); 0 in the sandbox.
  public var developerID: Int64?
  /// When it was made (12): the instant its certificates are checked at.
  public var creationDate: StoreDate
  /// 0 in the sandbox (15).
  public var downloadID: Int64?
  /// 0 in the sandbox (16).
  public var versionExternalIdentifier: Int64?
  /// In no particular order (17).
  public var inAppPurchases: [InAppPurchase] = []
  /// When the app itself was first obtained (18).
  public var originalPurchaseDate: StoreDate?
  /// The version of the app that was first obtained (19); `1.0` in the sandbox.
  public var originalApplicationVersion: String?
  /// When a volume-purchase receipt ends (21); Xcode writes the year 4001.
  public var expirationDate: StoreDate?
  /// Attributes this version has no name for, as they are; at most 256, further ones are passed over.
  public var unknownAttributes: [Attribute] = []

  /// An attribute without a name.
  public struct Attribute: Hashable, Sendable {
    /// Which attribute it is.
    public let type: Int64
    /// 1 for nearly all.
    public let version: Int64
    /// The contents of its OCTET STRING.
    public let value: [UInt8]

    /// - Parameters:
    ///   - type: which attribute it is; none that has a name.
    ///   - version: 1 for nearly all.
    ///   - value: the contents of its OCTET STRING.
    public init(type: Int64, version: Int64 = 1, value: [UInt8]) {
      self.type = type
      self.version = version
      self.value = value
    }
  }

  init(
    receiptType: String, bundleID: BundleID, bundleIDBytes: [UInt8], applicationVersion: String,
    opaqueValue: [UInt8], sha1Hash: [UInt8], creationDate: StoreDate
  ) {
    self.receiptType = receiptType
    self.bundleID = bundleID
    self.bundleIDBytes = bundleIDBytes
    self.applicationVersion = applicationVersion
    self.opaqueValue = opaqueValue
    self.sha1Hash = sha1Hash
    self.creationDate = creationDate
  }

  /// The environment that ``receiptType`` stands for; nil for one this version does not know.
  public var environment: StoreEnvironment? {
    switch receiptType {
    case "Production", "ProductionVPP": .production
    case "ProductionSandbox", "ProductionVPPSandbox", "Sandbox": .sandbox
    case "Xcode": .xcode
    default: nil
    }
  }

  /// Whether it was issued to `device` (Apple's "Validating receipts on the device": the hash of attribute 5).
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    Self.hash(device: device, opaqueValue: opaqueValue, bundleIDBytes: bundleIDBytes) == sha1Hash
  }

  /// SHA-1, today as ever: only the signature moved on to SHA-256.
  static func hash(device: DeviceIdentifier, opaqueValue: [UInt8], bundleIDBytes: [UInt8]) -> [UInt8] {
    Array(Insecure.SHA1.hash(data: device.bytes + opaqueValue + bundleIDBytes))
  }
}
