extension String {
  /// The text in quotation marks, on one line, and cut after 100 characters.
  var quotedForReport: String { count > 100 ? "\(String(prefix(100)).debugDescription)…" : debugDescription }
}

extension [String] {
  /// The strings joined as `a, b or c`.
  var joinedAsAlternatives: String {
    count > 1 ? dropLast().joined(separator: ", ") + " or " + self[count - 1] : joined()
  }
}

extension ClosedRange<Int> {
  /// The range as `of 1 or more` if it has no end, otherwise as `from 1 to 9`.
  var reportWords: String {
    upperBound == .max ? "of \(lowerBound) or more" : "from \(lowerBound) to \(upperBound)"
  }
}
