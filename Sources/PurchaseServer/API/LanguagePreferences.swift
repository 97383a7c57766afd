import Foundation

/// The languages that a client prefers, from `Accept-Language` (RFC 9110, section 12.5.4).
struct LanguagePreferences: Hashable, Sendable {
  /// The language ranges in lower case, most preferred first. Each is followed by its prefixes, such as `pt-br` by `pt`.
  let ranges: [String]

  /// The maximum number of entries that are read. Browsers send about 2 to 10.
  private static let mostEntries = 32
  /// The maximum number of subtags: language, script, region and some variants (RFC 5646, section 4.4.1).
  private static let mostSubtags = 5
  /// The maximum length of an entry with its weight and spaces, in bytes.
  private static let longestEntry = 64

  /// Reads a header. Invalid entries are ignored, and so are all entries after the 32nd.
  init(_ header: String?) {
    var entries: [(range: String, quality: Double)] = []
    for entry in (header ?? "").utf8.prefix(Self.mostEntries * (Self.longestEntry + 1))
      .split(separator: UInt8(ascii: ",")).prefix(Self.mostEntries)
    where entry.count <= Self.longestEntry {
      if let entry = Self.entry(String(decoding: entry, as: UTF8.self)) { entries.append(entry) }
    }
    // Entries of equal quality keep the order of the header.
    let sorted = entries.enumerated().sorted {
      ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset)
    }
    var ranges: [String] = []
    var seen: Set<String> = []
    for (_, entry) in sorted where entry.quality > 0 {
      var range = entry.range
      while seen.insert(range).inserted {
        ranges.append(range)
        guard let end = range.lastIndex(of: "-") else { break }
        range = String(range[..<end])
      }
    }
    self.ranges = ranges
  }

  /// Returns the language range in lower case, and its quality from 0 to 1. A quality of 0 means "not acceptable".
  private static func entry(_ text: String) -> (range: String, quality: Double)? {
    let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    // A range is cut before its first invalid subtag, as the lookup would do.
    let subtags = (parts.first ?? "").lowercased().utf8.split(separator: UInt8(ascii: "-")).prefix(mostSubtags)
      .prefix { $0.allSatisfy(isLetterOrDigit) }
    guard !subtags.isEmpty else { return nil }
    let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
    guard weight.isFinite else { return nil }
    return (subtags.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-"), min(max(weight, 0), 1))
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Returns the tag that matches the most preferred language range, as in RFC 4647, section 3.4 ("lookup"). A range
  /// also matches longer tags: `pt` matches `pt-BR`. If no range matches, returns English or, without English,
  /// the first tag in alphabetical order.
  func choose(from tags: some Sequence<String>) -> String? {
    let tags = tags.sorted().map { (tag: $0, lowercase: $0.lowercased()) }
    func tag(for range: String) -> String? {
      let exact = tags.first { $0.lowercase == range }
      return (exact ?? tags.first { $0.lowercase.hasPrefix(range + "-") })?.tag
    }
    for range in ranges {
      if let match = tag(for: range) { return match }
    }
    return tag(for: "en") ?? tags.first?.tag
  }
}
