/// An identifier that travels as a string and must not be confused with another kind of string.
///
/// Conforming types are encoded as their bare string. They are compared and hashed by its bytes in UTF-8: canonically
/// equivalent text, such as U+212A (KELVIN SIGN) and `K`, names different things, as it does in databases.
public protocol StringIdentifier: RawRepresentable, Hashable, Codable, Comparable, Sendable,
  CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String {
  init(rawValue: String)
}

extension StringIdentifier {
  public init(_ string: String) { self.init(rawValue: string) }
  public init(stringLiteral value: String) { self.init(rawValue: value) }
  public var description: String { rawValue }
  public static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = rawValue
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // So that the bytes of one identifier never continue in those of the next.
    hasher.combine(0xFF as UInt8)
  }
}

/// The bundle identifier of an app, such as `com.example.game`. Everything a store keeps is keyed by it.
public struct BundleID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a product, unique within one app.
public struct ProductID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The name a customer signs in with, unique within one environment of one store.
public struct AccountName: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a subscription group.
public struct SubscriptionGroupID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One life of a store: a reset or a restored backup begins another.
///
/// Ten decimal digits. It is the leading part of every transaction id the store makes, so that a lasting
/// ledger or vault never mistakes a new purchase for an old one.
public struct StoreEpoch: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier a device gives a payment when it is added, before anything is sent.
///
/// It is scoped to the installation that made it and is the payment's idempotency key: the store answers
/// the same id with the same transaction however often it is asked.
public struct PaymentID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one installation of one app on one device. A reinstalled app is a new installation.
public struct InstallationID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}
