import StoreModel

extension StringProtocol {
  /// The text with unsafe characters escaped as `\u{…}`: those that move the cursor, change the direction of writing,
  /// or are invisible.
  ///
  /// Strings in a receipt or catalog are untrusted. A product identifier with a line feed could add a forged line, such
  /// as a positive result, to a report.
  var madeVisible: String {
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      if scalar.isPlainlyVisible {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return text
  }

  /// The text of an identifier, escaped. Up to 300 characters are shown completely, because identifiers often differ
  /// only at their ends. Longer ones are shortened, so that a store cannot flood the terminal.
  var visibleIdentifier: String { madeVisible(limit: 300) }

  /// Returns ``madeVisible`` for at most the first `limit` characters, with an ellipsis if the text is longer.
  func madeVisible(limit: Int) -> String {
    // A character may consist of any number of scalars, so the number of scalars is limited as well.
    let scalars = String(String.UnicodeScalarView(unicodeScalars.prefix(limit * 4)))
    let clipped = scalars.prefix(limit)
    let isWhole = clipped.unicodeScalars.count == unicodeScalars.count
    return clipped.madeVisible + (isWhole ? "" : "…")
  }

  /// Returns the text, shortened to `limit` columns of a terminal. A shortened text ends with an ellipsis.
  func cut(toColumns limit: Int) -> String {
    guard terminalColumns > limit else { return String(self) }
    var (text, used) = ("", 1)
    for character in self {
      used += String(character).terminalColumns
      if used > limit { break }
      text.append(character)
    }
    return text + "…"
  }

  /// The number of columns that the text takes on a terminal: two for wide East Asian characters and emoji, otherwise
  /// one.
  var terminalColumns: Int {
    reduce(0) { columns, character in columns + (character.unicodeScalars.contains(where: \.isWide) ? 2 : 1) }
  }
}

extension Unicode.Scalar {
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

extension StoreDate {
  /// The date in RFC 3339, in UTC with milliseconds. A date outside the years 1 to 9999 is written as milliseconds
  /// since 1970.
  var rfc3339: String { isOfCalendar ? description : text }

  /// The date for people: `2024-05-01 10:00:00Z`.
  var readable: String { isOfCalendar ? text + "Z" : text }
}
