import Foundation
import StoreModel

/// The contents of a `.storekit` configuration file: the products of one app, and the settings of the test store.
///
/// All published versions of the format are read, 1.0 to 5.0, whether Xcode, App Store Connect or a person wrote the
/// file. What can be sold is sold: a problem costs the smallest part of the file that cannot be used because of it, and
/// causes a warning (``warnings``). If the file defines products, but none can be sold, reading it throws a
/// ``StoreKitConfigurationError``.
public struct StoreKitConfiguration: Hashable, Sendable {
  /// The version of the file's format.
  public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    /// The newest known version. A file without a version is read as this one.
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

  /// A subscription group. A customer has at most one of its subscriptions at a time.
  public struct SubscriptionGroup: Hashable, Sendable {
    public let id: SubscriptionGroupID
    /// The developer's label. Customers see the localizations.
    public let name: String
    public let localizations: [ProductDefinition.Localization]
    /// In the order of the file, which may differ from the order of the service levels.
    public internal(set) var productIDs: [ProductID]
  }

  /// The key that signs promotional offers in the test environment.
  public struct OffersKey: Hashable, Sendable, CustomStringConvertible {
    /// The key identifier that signatures contain.
    public let id: String
    /// The private key: a P-256 key as PKCS#8 DER.
    public let privateKey: Data

    /// A text for logs: the key's identifier, without the private key.
    public var description: String { "offers key \(id)" }
  }

  /// The identifier of the file. Version 1.0 has none.
  public let identifier: String?
  public let version: Version
  /// In-app purchases, then non-renewing subscriptions, then the subscriptions of each group, each in the order of the
  /// file. Product identifiers are unique.
  public let products: [ProductDefinition]
  public let subscriptionGroups: [SubscriptionGroup]
  public let offersKey: OffersKey?
  public let settings: Settings
  /// The parts of the file that are left out or have no effect, as sentences for the developer. At most 1,000.
  ///
  /// Unknown keys cause no warnings, because new versions of Xcode add keys often.
  public let warnings: [String]
  /// Those of ``warnings`` that are about switches of the settings. In a test session, the switches have an effect.
  package internal(set) var switchWarnings: Set<String> = []
}

extension StoreKitConfiguration {
  /// Makes a configuration in code. ``subscriptionGroups`` is empty, because the terms of each subscription contain its
  /// group.
  public init(products: [ProductDefinition], settings: Settings = Settings()) {
    self.init(
      identifier: nil, version: .newest, products: products, subscriptionGroups: [], offersKey: nil,
      settings: settings, warnings: [])
  }
}
