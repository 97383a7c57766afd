import Foundation

/// The position of an installation in the sequence of its changes. It only grows. A new installation starts with the
/// cursor of its ``StoreGreeting``.
public struct ChangeCursor: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The changes for an installation, oldest first, and the cursor after them.
public struct DeviceChanges: Hashable, Codable, Sendable {
  public let changes: [StoreChange]
  public let cursor: ChangeCursor
  /// Whether the customer's records have changed after the revision of ``ChangesCall/follows``. Nil if the call does not
  /// follow the records.
  public let transactionsHaveChanged: Bool?

  public init(changes: [StoreChange], cursor: ChangeCursor, transactionsHaveChanged: Bool? = nil) {
    self.changes = changes
    self.cursor = cursor
    self.transactionsHaveChanged = transactionsHaveChanged
  }
}

/// A change in the store that concerns an installation.
///
/// It is only a hint, and is not signed: a device that receives it requests the signed transactions.
public struct StoreChange: Hashable, Codable, Sendable {
  public let kind: Kind
  /// The products of ``Kind/promotedPurchase`` and ``Kind/entitlementsRevoked``; empty for other kinds.
  public let productIDs: [ProductID]
  /// The win-back offer of ``Kind/promotedPurchase``; nil for none, and for other kinds.
  public let offer: PaymentOffer?

  public init(_ kind: Kind, productIDs: [ProductID] = [], offer: PaymentOffer? = nil) {
    self.kind = kind
    self.productIDs = productIDs
    self.offer = offer
  }

  /// The kind of a change. Devices ignore unknown kinds, because later versions of the store may add kinds.
  public struct Kind: StringIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The installation has unfinished transactions to request.
    public static let transactionsWaiting: Kind = "transactionsWaiting"
    /// A payment that waited for approval was approved or declined. The device confirms it again to receive the result.
    public static let paymentDecided: Kind = "paymentDecided"
    /// The storefront of the installation may have changed.
    public static let storefrontChanged: Kind = "storefrontChanged"
    /// The customer began to buy a product in the App Store. The app continues the purchase.
    public static let promotedPurchase: Kind = "promotedPurchase"
    /// The customer no longer owns these products. Without products, a purchase was revoked that the customer owns by
    /// another transaction, too, so that only the receipt has changed.
    public static let entitlementsRevoked: Kind = "entitlementsRevoked"
    /// The installation's settings have changed. The device registers again, and receives them with the greeting.
    public static let settingsChanged: Kind = "settingsChanged"
  }
}
