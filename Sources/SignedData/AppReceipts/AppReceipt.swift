import Crypto
import StoreModel

/// The contents of an app receipt (Apple's "Receipt Fields"; attribute types in parentheses).
///
/// A value of this type may be unverified; only `Verified<AppReceipt>` has a checked signature. The app must check
/// whether the receipt has expired (volume purchases).
public struct AppReceipt: Hashable, Sendable {
  /// The environment (0): `Production`, `ProductionSandbox`, `ProductionVPP`, `ProductionVPPSandbox`, `Xcode`.
  public var receiptType: String
  /// The App Store's number of the app (1); 0 in the sandbox.
  public var appItemID: Int64?
  /// The bundle id (2).
  public let bundleID: BundleID
  /// The encoded attribute value of the bundle id (2). It is an input of the hash ``sha1Hash``.
  public let bundleIDBytes: [UInt8]
  /// `CFBundleVersion` on the iOS family, `CFBundleShortVersionString` on macOS (3).
  public var applicationVersion: String
  /// Random bytes (4): 16 from the App Store, 8 from Xcode. They are an input of the hash ``sha1Hash``.
  public var opaqueValue: [UInt8]
  /// Binds the receipt to a device (5), 20 bytes. See ``isIssued(for:)``.
  public var sha1Hash: [UInt8]
  /// The date when the receipt was requested (8).
  public var requestDate: StoreDate?
  /// The version of the tool that made the receipt (9): four ASCII letters, read as one number.
  public var toolVersion: Int64?
  /// The age rating, such as `4+` (10).
  public var ageRating: String?
  /// The App Store's number of the developer (11); 0 in the sandbox.
  public var developerID: Int64?
  /// The creation date (12). The certificates must be valid at this date.
  public var creationDate: StoreDate
  /// The number of the app's download (15); 0 in the sandbox.
  public var downloadID: Int64?
  /// The number of the app's version (16); 0 in the sandbox.
  public var versionExternalIdentifier: Int64?
  /// The purchases, in no particular order (17).
  public var inAppPurchases: [InAppPurchase] = []
  /// The date when the customer first obtained the app (18).
  public var originalPurchaseDate: StoreDate?
  /// The app's version when the customer first obtained it (19); `1.0` in the sandbox.
  public var originalApplicationVersion: String?
  /// The expiration date of a volume-purchase receipt (21). Xcode writes the year 4001.
  public var expirationDate: StoreDate?
  /// Attributes of unknown types, not decoded. At most 256; more are ignored.
  public var unknownAttributes: [Attribute] = []

  /// An attribute that is not decoded.
  public struct Attribute: Hashable, Sendable {
    /// The attribute type.
    public let type: Int64
    /// The attribute version, almost always 1.
    public let version: Int64
    /// The contents of its OCTET STRING.
    public let value: [UInt8]

    /// - Parameters:
    ///   - type: the attribute type. It must not be one of the types that ``AppReceipt`` decodes.
    ///   - version: the attribute version, almost always 1.
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

  /// The environment of ``receiptType``; nil if it is unknown.
  public var environment: StoreEnvironment? {
    switch receiptType {
    case "Production", "ProductionVPP": .production
    case "ProductionSandbox", "ProductionVPPSandbox", "Sandbox": .sandbox
    case "Xcode": .xcode
    default: nil
    }
  }

  /// Whether the receipt was issued to `device` (Apple's "Validating receipts on the device": the hash of attribute 5).
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    Self.hash(device: device, opaqueValue: opaqueValue, bundleIDBytes: bundleIDBytes) == sha1Hash
  }

  /// Computes the hash of attribute 5. It is still SHA-1; only the signature has changed to SHA-256.
  static func hash(device: DeviceIdentifier, opaqueValue: [UInt8], bundleIDBytes: [UInt8]) -> [UInt8] {
    Array(Insecure.SHA1.hash(data: device.bytes + opaqueValue + bundleIDBytes))
  }
}
