import StoreModel

extension StringProtocol {
  /// The text as it may be shown on a terminal: whatever could move the cursor, change the direction of writing, or
  /// hide, is written as `\u{…}`.
  ///
  /// Strings in a receipt or catalog come from strangers; a line feed in a product identifier could forge a verdict.
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

  /// ``madeVisible``, of at most `limit` characters before an ellipsis.
  func madeVisible(limit: Int) -> String {
    // A character may be built of any number of scalars; both are limited.
    let scalars = String(String.UnicodeScalarView(unicodeScalars.prefix(limit * 4)))
    let clipped = scalars.prefix(limit)
    let isWhole = clipped.unicodeScalars.count == unicodeScalars.count
    return clipped.madeVisible + (isWhole ? "" : "…")
  }

  /// As much of its beginning as fits into so many columns of a terminal, with an ellipsis where something was cut.
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

  /// How many columns of a terminal the text takes: two for each of the wide characters of East Asia and emoji.
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
