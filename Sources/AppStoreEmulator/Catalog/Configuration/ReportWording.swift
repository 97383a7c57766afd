extension String {
  /// In quotation marks, on one line and of bounded length, whatever the file had in it.
  var quotedForReport: String { count > 100 ? "\(String(prefix(100)).debugDescription)…" : debugDescription }
}

extension [String] {
  /// Written as `a, b or c`.
  var joinedAsAlternatives: String {
    count > 1 ? dropLast().joined(separator: ", ") + " or " + self[count - 1] : joined()
  }
}

extension ClosedRange<Int> {
  /// Written as `of 1 or more` when there is no end to it, otherwise as `from 1 to 9`.
  var reportWords: String {
    upperBound == .max ? "of \(lowerBound) or more" : "from \(lowerBound) to \(upperBound)"
  }
}
