import Foundation

/// How far an installation has heard what happens to it. Grows; a new installation's comes with its greeting.
public struct ChangeCursor: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What happened to an installation, in order, and how far it has heard then.
public struct DeviceChanges: Hashable, Codable, Sendable {
  public let changes: [StoreChange]
  public let cursor: ChangeCursor

  public init(changes: [StoreChange], cursor: ChangeCursor) {
    self.changes = changes
    self.cursor = cursor
  }
}

/// Something that happened in the store and concerns an installation.
///
/// It says where to look and is not itself believed: what was bought comes signed, when it is asked for.
public struct StoreChange: Hashable, Codable, Sendable {
  public let kind: Kind
  /// Present for ``Kind/promotedPurchase`` and ``Kind/entitlementsRevoked``.
  public let productIDs: [ProductID]

  public init(_ kind: Kind, productIDs: [ProductID] = []) {
    self.kind = kind
    self.productIDs = productIDs
  }

  /// An open set: a device passes over what it has not heard of.
  public struct Kind: StringIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There are transactions to fetch.
    public static let transactionsWaiting: Kind = "transactionsWaiting"
    /// A payment that was waiting for somebody's approval has been decided; confirm it again to hear how.
    public static let paymentDecided: Kind = "paymentDecided"
    /// The storefront of the installation is, or may be, another.
    public static let storefrontChanged: Kind = "storefrontChanged"
    /// The customer began to buy a product in the App Store; the app is to go on with it.
    public static let promotedPurchase: Kind = "promotedPurchase"
    /// The customer no longer owns these products.
    public static let entitlementsRevoked: Kind = "entitlementsRevoked"
  }
}
