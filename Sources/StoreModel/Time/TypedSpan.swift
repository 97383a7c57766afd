/// A duration that a person typed: `36h`, `1d12h30m`, `90 s`, `250ms`. Minutes are `m` or `min`, weeks are `w`.
package struct TypedSpan: Hashable, Sendable {
  /// The duration in milliseconds; at least 0.
  package let milliseconds: Int64

  /// Nil unless it is a whole number of seconds.
  package var wholeSeconds: Int64? { milliseconds % 1_000 == 0 ? milliseconds / 1_000 : nil }

  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000),
  ]

  /// Nil if `text` is not a duration, or if its milliseconds do not fit into 64 bits.
  package init?(_ text: String) {
    var rest = text[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      if rest.first == " " { rest.removeFirst() }
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count)
      // One blank may stand before the next number, but not at the end.
      if rest.first == " ", rest.count > 1 { rest.removeFirst() }
      guard let number = Int64(digits), let unit = Self.units.first(where: { $0.name == name }) else { return nil }
      let (product, isTooLong) = number.multipliedReportingOverflow(by: unit.milliseconds)
      let (sum, isTooMuch) = total.addingReportingOverflow(product)
      if isTooLong || isTooMuch { return nil }
      total = sum
    }
    milliseconds = total
  }
}
