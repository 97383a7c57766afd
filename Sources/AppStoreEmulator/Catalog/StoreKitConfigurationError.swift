/// Everything about a `.storekit` file that the store cannot understand.
public struct StoreKitConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One thing that is wrong, and where.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The entry by its path and name, such as `products[2] ("com.example.lamp")`; empty for the whole file.
    public let entry: String
    public let kind: Kind

    public var description: String { entry.isEmpty ? "\(kind)" : "\(entry): \(kind)" }
  }

  public enum Kind: Hashable, Sendable {
    /// The file could not be read.
    case unreadable(reason: String)
    case tooLarge(limitBytes: Int)
    /// Line and column count from 1, the column in characters; nil when the place is not known.
    case malformedJSON(reason: String, line: Int?, column: Int?)
    /// The file holds JSON, but not an object.
    case notAnObject
    /// A value is of another JSON type than the one described.
    case wrongType(key: String, expected: String)
    /// A value the store cannot do without is absent, null or empty.
    case missing(key: String)
    /// The entry at `first` has the same identifier.
    case duplicate(key: String, value: String, first: String)
    /// A subscription names another group than the one it lies in.
    case groupMismatch(found: String, expected: String)
    /// A word that is not one of those `allowed`.
    case unknownValue(key: String, value: String, allowed: [String])
    /// A type of product that has its place elsewhere in the file.
    case misplacedType(value: String, belongsIn: String)
    /// Not an ISO 8601 duration of one unit.
    case malformedPeriod(key: String, value: String)
    case malformedPrice(key: String, value: String)
    case negativePrice(key: String, value: String)
    /// A price with a fraction of a thousandth.
    case tooManyDecimals(key: String, value: String)
    /// A price of a trillion or more.
    case priceTooLarge(key: String, value: String)
    /// Not a whole number within `range`.
    case outOfRange(key: String, value: String, range: ClosedRange<Int>)
    /// The promotional offers key is not base64.
    case malformedOffersKey
  }

  /// What the file was called by whoever asked for it.
  public let name: String
  /// At least one, in the order they were met; at most 1,000.
  public let problems: [Problem]

  /// One line for a single problem; otherwise a heading and one line for each.
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
    }
  }
}
