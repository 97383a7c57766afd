import StoreModel

/// Parses a price from decimal digits, without floating point, which could round it.
enum PriceText {
  enum Refusal: Error {
    case malformed, negative, tooManyDecimals, tooLarge
  }

  /// - Parameter text: digits with at most one decimal point, perhaps with a minus sign before them and blanks around
  ///   them. An empty text means 0: a file contains an empty text if the price of a free offer was deleted.
  static func amount(_ text: String) throws(Refusal) -> Milliunits {
    var digits = Substring(text).utf8
    while let first = digits.first, isBlank(first) { digits.removeFirst() }
    while let last = digits.last, isBlank(last) { digits.removeLast() }
    guard !digits.isEmpty else { return .zero }
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }

    let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let whole = parts[0].drop { $0 == zero }
    var fraction = parts.count > 1 ? Array(parts[1]) : []
    guard parts.contains(where: { !$0.isEmpty }), parts.allSatisfy({ $0.allSatisfy((zero...zero + 9).contains) })
    else { throw .malformed }
    while fraction.last == zero { fraction.removeLast() }
    guard !isNegative || whole.isEmpty && fraction.isEmpty else { throw .negative }
    guard fraction.count <= 3 else { throw .tooManyDecimals }
    // A price with at most twelve digits before the point can be multiplied by any allowed quantity without overflow.
    guard whole.count <= 12 else { throw .tooLarge }

    fraction += Array(repeating: zero, count: 3 - fraction.count)
    return Milliunits((Array(whole) + fraction).reduce(0) { $0 * 10 + Int64($1 - zero) })
  }

  private static let zero = UInt8(ascii: "0")

  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D].contains(byte)
  }
}

extension ConfigurationReader {
  /// The price under `key`, from a string or a number. Reports a missing or invalid price.
  mutating func price(_ key: String, of entry: ConfigurationEntry) -> Milliunits {
    let text: String
    switch entry[key] {
    case .string(let written): text = written
    case .number(let written): text = written
    case .null:
      report(.missing(key: key), at: entry)
      return .zero
    default:
      report(.wrongType(key: key, expected: "a string such as \"0.99\""), at: entry)
      return .zero
    }
    do {
      return try PriceText.amount(text)
    } catch {
      switch error {
      case .malformed: report(.malformedPrice(key: key, value: text), at: entry)
      case .negative: report(.negativePrice(key: key, value: text), at: entry)
      case .tooManyDecimals: report(.tooManyDecimals(key: key, value: text), at: entry)
      case .tooLarge: report(.priceTooLarge(key: key, value: text), at: entry)
      }
      return .zero
    }
  }
}
