import Foundation
import StoreModel

/// What a `.storekit` configuration file says: the products of one app and how the test store behaves.
///
/// Every published version of the file is read, 1.0 to 5.0, whether Xcode wrote it, App Store Connect filled
/// it, or a person typed it. What the store can do without is accepted with a word in ``warnings``; what it
/// cannot understand is refused, all of it at once, by ``StoreKitConfigurationError``.
public struct StoreKitConfiguration: Hashable, Sendable {
  /// The version of the file's format.
  public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    /// The newest version known here; a file that names none is read as this one.
    public static let newest = Version(major: 5, minor: 0)

    public init(major: Int, minor: Int) {
      self.major = major
      self.minor = minor
    }

    public var description: String { "\(major).\(minor)" }

    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor) < (right.major, right.minor)
    }
  }

  /// Subscriptions of which a customer holds at most one at a time.
  public struct SubscriptionGroup: Hashable, Sendable {
    public let id: SubscriptionGroupID
    /// The developer's own label. Customers see the localizations.
    public let name: String
    public let localizations: [ProductDefinition.Localization]
    /// In the order of the file, which need not be that of the service levels.
    public let productIDs: [ProductID]
  }

  /// The key that signs promotional offers in the test environment.
  public struct OffersKey: Hashable, Sendable, CustomStringConvertible {
    /// The key identifier that signatures name.
    public let id: String
    /// The private key as PKCS#8 DER. Decoded from base64, but not checked to be a key.
    public let privateKey: Data

    /// Names the key without showing it.
    public var description: String { "offers key \(id)" }
  }

  /// The file's own identifier, which version 1.0 does not have.
  public let identifier: String?
  public let version: Version
  /// In-app purchases, then non-renewing subscriptions, then the subscriptions of each group; within each, in
  /// the order of the file. No two have the same product identifier.
  public let products: [ProductDefinition]
  public let subscriptionGroups: [SubscriptionGroup]
  public let offersKey: OffersKey?
  public let settings: Settings
  /// What was read but has no effect, or not the expected one, in sentences for the developer. At most 1,000.
  ///
  /// Keys nobody has heard of are not among them: newer versions of Xcode add them freely.
  public let warnings: [String]
}

extension StoreKitConfiguration {
  /// A configuration that is made in code. Subscriptions have the groups that their terms name.
  public init(products: [ProductDefinition], settings: Settings = Settings()) {
    self.init(
      identifier: nil, version: .newest, products: products, subscriptionGroups: [], offersKey: nil,
      settings: settings, warnings: [])
  }
}
