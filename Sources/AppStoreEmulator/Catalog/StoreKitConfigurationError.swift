import StoreModel

/// Thrown for a `.storekit` file that cannot be read, or of which no product can be sold. It contains all problems for
/// which products were left out.
public struct StoreKitConfigurationError: DescribedError, Hashable, Sendable {
  /// A problem and its location.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The path and name of the entry, such as `products[2] ("com.example.lamp")`; empty for the whole file.
    public let entry: String
    public let kind: Kind

    public var description: String { entry.isEmpty ? "\(kind)" : "\(entry): \(kind)" }
  }

  public enum Kind: Hashable, Sendable {
    /// The file could not be read.
    case unreadable(reason: String)
    case tooLarge(limitBytes: Int)
    /// `line` and `column` begin with 1. They are nil if the position is unknown.
    case malformedJSON(reason: String, line: Int?, column: Int?)
    /// The file contains JSON that is not an object.
    case notAnObject
    /// The value has another JSON type than `expected`.
    case wrongType(key: String, expected: String)
    /// A required value is missing, null or empty.
    case missing(key: String)
    /// The entry at the location `first` has the same identifier.
    case duplicate(key: String, value: String, first: String)
    /// The `subscriptionGroupID` of a subscription is not the id of the group that contains it.
    case groupMismatch(found: String, expected: String)
    /// The value is not one of `allowed`.
    case unknownValue(key: String, value: String, allowed: [String])
    /// The product type belongs in another part of the file, `belongsIn`.
    case misplacedType(value: String, belongsIn: String)
    /// The value is not an ISO 8601 duration of one unit.
    case malformedPeriod(key: String, value: String)
    case malformedPrice(key: String, value: String)
    case negativePrice(key: String, value: String)
    /// The price has more than three decimals.
    case tooManyDecimals(key: String, value: String)
    /// The price is a trillion or more.
    case priceTooLarge(key: String, value: String)
    /// The value is not a whole number in `range`.
    case outOfRange(key: String, value: String, range: ClosedRange<Int>)
    /// The key of promotional offers is not base64.
    case malformedOffersKey
    /// The key of promotional offers is not a P-256 key.
    case unusableOffersKey
  }

  /// The name of the file, as given by the caller.
  public let name: String
  /// At least 1 and at most 1,000, in the order in which the parts of the file are read, which begins with `products`.
  /// The problems of an array are in its order.
  public let problems: [Problem]

  /// One line for a single problem, otherwise a heading and one line per problem.
  public var description: String {
    guard problems.count > 1 else { return "\(name): " + problems.map(\.description).joined() }
    return "\(name): \(problems.count) problems" + problems.map { "\n  \($0)" }.joined()
  }
}

extension StoreKitConfigurationError.Kind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .tooLarge(let limit): "larger than \(limit >> 20) MiB; a configuration file is never that large"
    case .malformedJSON(let reason, let line?, let column?):
      "not JSON: \(reason) at line \(line), column \(column)"
    case .malformedJSON(let reason, _, _): "not JSON: \(reason)"
    case .notAnObject: "the file holds JSON, but not an object in braces"
    case .wrongType(let key, let expected): "\(key) must be \(expected)"
    case .missing(let key): "\(key) is missing or empty"
    case .duplicate(let key, let value, let first): "\(key) \(value.quotedForReport) is already used by \(first)"
    case .groupMismatch(let found, let expected):
      "subscriptionGroupID \(found.quotedForReport) is not the id of its group, \(expected.quotedForReport)"
    case .unknownValue(let key, let value, let allowed):
      "unknown \(key) \(value.quotedForReport); use \(allowed.joinedAsAlternatives)"
    case .misplacedType(let value, let place): "type \(value.quotedForReport) belongs in \(place)"
    case .malformedPeriod(let key, let value):
      "\(key) \(value.quotedForReport) is not a period; use one such as P1W, P1M or P1Y"
    case .malformedPrice(let key, let value):
      "\(key) \(value.quotedForReport) is not a price; use digits and a point, such as 0.99"
    case .negativePrice(let key, let value): "\(key) \(value.quotedForReport) is negative; a price is 0 or more"
    case .tooManyDecimals(let key, let value):
      "\(key) \(value.quotedForReport) has more than 3 decimals; prices are kept in thousandths"
    case .priceTooLarge(let key, let value):
      "\(key) \(value.quotedForReport) is too large; a price is less than a trillion"
    case .outOfRange(let key, let value, let range):
      "\(key) \(value) is out of range; use a whole number \(range.reportWords)"
    case .malformedOffersKey: "privateKey is not base64; use the text Xcode saves, a PKCS#8 key in base64"
    case .unusableOffersKey: "privateKey is not a P-256 key in PKCS#8; save the file with Xcode, or remove the key"
    }
  }
}
