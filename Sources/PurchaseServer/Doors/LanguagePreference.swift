import Foundation

/// One entry of `Accept-Language` (RFC 9110, section 12.5.4).
struct LanguagePreference: Hashable, Sendable {
  /// A language range, such as `pt-BR` or `*`, in lower case.
  let range: String
  /// 0 to 1; 0 for "not this".
  let quality: Double

  /// Reads a header. What cannot be read is passed over; more than 32 entries are not looked at.
  static func read(_ header: String?) -> [LanguagePreference] {
    guard let header else { return [] }
    let entries = header.split(separator: ",").prefix(32).compactMap { entry -> LanguagePreference? in
      let parts = entry.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let range = parts.first, !range.isEmpty else { return nil }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      guard weight.isFinite else { return nil }
      return LanguagePreference(range: range.lowercased(), quality: min(max(weight, 0), 1))
    }
    return entries.enumerated().sorted {
      ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset)
    }.map(\.element)
  }

  /// The tag that fits best (RFC 4647, section 3.4, "lookup"): the first preference's, or that of its language; English where
  /// nothing fits, or the first in the alphabet.
  static func choose(from tags: [String], by preferences: [LanguagePreference]) -> String? {
    let tags = tags.sorted()
    for preference in preferences where preference.quality > 0 {
      var range = preference.range
      while !range.isEmpty, range != "*" {
        let exact = tags.first { $0.lowercased() == range }
        if let match = exact ?? tags.first(where: { $0.lowercased().hasPrefix(range + "-") }) { return match }
        guard let end = range.lastIndex(of: "-") else { break }
        range = String(range[..<end])
      }
    }
    return tags.first { $0.lowercased() == "en" } ?? tags.first { $0.lowercased().hasPrefix("en-") } ?? tags.first
  }
}
