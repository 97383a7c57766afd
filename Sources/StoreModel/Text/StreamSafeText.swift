/// Checks that text takes only linear time to compare, hash and normalise.
///
/// Swift compares and hashes a `String` by its Unicode normalisation, which sorts each run of combining marks in
/// quadratic time. In the Stream-Safe Text Format (Unicode Standard Annex #15, section 13), runs have at most 30 marks;
/// no language needs more. Untrusted text is refused unless it is stream-safe.
package struct StreamSafeText {
  /// The maximum length of a run of combining marks.
  package static let longestRun = 30

  private var run = 0

  package init() {}

  /// Whether the text is still stream-safe after `scalar` is appended.
  package mutating func admits(_ scalar: Unicode.Scalar) -> Bool {
    run = Self.isNonstarter(scalar) ? run + 1 : 0
    return run <= Self.longestRun
  }

  /// Whether the canonical decomposition of `scalar` begins with a combining mark.
  package static func isNonstarter(_ scalar: Unicode.Scalar) -> Bool {
    // The first combining mark is U+0300.
    guard scalar.value >= 0x300 else { return false }
    switch scalar.value {
    // These vowel signs are starters, but are decomposed into two marks.
    case 0x0F73, 0x0F75, 0x0F81: return true
    default: return scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}

extension StringProtocol {
  /// Whether no run of combining marks is longer than ``StreamSafeText/longestRun``. Takes linear time.
  package var isStreamSafe: Bool {
    // A run of 31 marks has at least 62 bytes.
    if utf8.count <= StreamSafeText.longestRun * 2 { return true }
    var check = StreamSafeText()
    return unicodeScalars.allSatisfy { check.admits($0) }
  }

  /// Whether both texts have the same UTF-8 bytes. In contrast, `==` on `String` considers canonically equivalent texts
  /// equal, such as U+212A (KELVIN SIGN) and `K`.
  package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
