/// A string that identifies something. Each kind of identifier is a type, so that they cannot be mixed up.
///
/// Conforming types are encoded as a plain string. They are compared and hashed by their UTF-8 bytes, as in databases:
/// canonically equivalent texts, such as U+212A (KELVIN SIGN) and `K`, are different identifiers.
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
    // Marks the end of the identifier, because UTF-8 has no byte 0xFF: "a" and "bc" hash differently from "ab" and "c".
    hasher.combine(0xFF as UInt8)
  }
}

/// The bundle identifier of an app, such as `com.example.game`.
public struct BundleID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a product, unique within one app.
public struct ProductID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The name with which a customer signs in. It is unique within one environment of one store.
public struct AccountName: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a subscription group.
public struct SubscriptionGroupID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The epoch of a store, as ten decimal digits. A reset, or restoring a snapshot, begins another epoch.
///
/// Every transaction id of the store begins with these digits. Purchase servers and apps keep transaction ids when the
/// store is reset, and must not mistake a new purchase for an old one.
public struct StoreEpoch: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier that a device gives a payment before it sends anything to the store.
///
/// It is unique within the installation, and is the idempotency key of the payment: the store answers the same id with
/// the same transaction each time.
public struct PaymentID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one installation of one app on one device. Reinstalling the app makes a new installation.
public struct InstallationID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}
