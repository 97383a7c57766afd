/// Rows of the form `label  value`, with the values aligned and wrapped between words.
struct LabeledRows {
  private var entries: [(label: String, value: String)] = []

  /// Adds a row, unless `value` is nil.
  ///
  /// - Parameter value: is printed as it is. The caller must have escaped untrusted text.
  mutating func add(_ label: String, _ value: String?) {
    if let value { entries.append((label, value)) }
  }

  var lines: [String] {
    let width = (entries.map(\.label.terminalColumns).max() ?? 0) + 2
    return entries.flatMap { label, value in
      let margin = String(repeating: " ", count: width)
      let first = label + String(repeating: " ", count: width - label.terminalColumns)
      return Self.broken(value, columns: TextTable.maximumColumns - width).enumerated().map {
        ($0.offset == 0 ? first : margin) + $0.element
      }
    }
  }

  /// Wraps text between words. A word that is too long, such as a fingerprint, is not broken.
  static func broken(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let width = word.terminalColumns
      if used > 0, used + 1 + width > columns {
        lines.append(line)
        (line, used) = (String(word), width)
      } else {
        line += (used > 0 ? " " : "") + word
        used += width + (used > 0 ? 1 : 0)
      }
    }
    return lines + [line]
  }
}
