import Foundation

/// The languages that a request prefers: `Accept-Language` (RFC 9110, section 12.5.4). Read once for each request.
struct LanguagePreferences: Hashable, Sendable {
  /// What is looked up, best first: language ranges in lower case, such as `pt-br`, each before its own beginnings.
  let ranges: [String]

  /// Browsers send some 2 to 10 entries.
  private static let mostEntries = 32
  /// Language, script, region, and some variants (RFC 5646, section 4.4.1).
  private static let mostSubtags = 5
  /// With its weight, and spaces.
  private static let longestEntry = 64

  /// Reads a header. What cannot be read is passed over; what is beyond 32 entries is not looked at.
  init(_ header: String?) {
    var entries: [(range: String, quality: Double)] = []
    for entry in (header ?? "").utf8.prefix(Self.mostEntries * (Self.longestEntry + 1))
      .split(separator: UInt8(ascii: ",")).prefix(Self.mostEntries)
    where entry.count <= Self.longestEntry {
      if let entry = Self.entry(String(decoding: entry, as: UTF8.self)) { entries.append(entry) }
    }
    // The order of the header counts among equals.
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

  /// A language range in lower case, and its quality: 0 to 1; 0 for "not this".
  private static func entry(_ text: String) -> (range: String, quality: Double)? {
    let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    // From the first subtag that no language has on, a range is cut off, as where the lookup finds nothing.
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

  /// The tag that fits best (RFC 4647, section 3.4, "lookup"): the first preference's, or that of its language; English where
  /// nothing fits, or the first in the alphabet.
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
