/// Whether text costs no more than its length to compare, to hash and to normalise.
///
/// Swift compares and hashes a `String` as Unicode normalises it. Normalisation sorts each run of combining marks, which
/// takes time in the square of the run's length. The Stream-Safe Text Format (Unicode Standard Annex #15, section 13)
/// has runs of at most 30; no language needs more. Text from outside is refused unless it is stream-safe.
package struct StreamSafeText {
  /// The longest run of combining marks that is accepted.
  package static let longestRun = 30

  private var run = 0

  package init() {}

  /// Whether the text is still stream-safe with `scalar` at its end.
  package mutating func admits(_ scalar: Unicode.Scalar) -> Bool {
    run = Self.isNonstarter(scalar) ? run + 1 : 0
    return run <= Self.longestRun
  }

  /// Whether the canonical decomposition of `scalar` begins with a combining mark.
  package static func isNonstarter(_ scalar: Unicode.Scalar) -> Bool {
    // No scalar below is one.
    guard scalar.value >= 0x300 else { return false }
    switch scalar.value {
    // Vowel signs that are starters themselves, but are decomposed into two marks.
    case 0x0F73, 0x0F75, 0x0F81: return true
    default: return scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}

extension StringProtocol {
  /// Whether no run of combining marks is longer than ``StreamSafeText/longestRun``. Takes time in proportion to the length.
  package var isStreamSafe: Bool {
    // A run of 31 marks has more bytes.
    if utf8.count <= StreamSafeText.longestRun * 2 { return true }
    var check = StreamSafeText()
    return unicodeScalars.allSatisfy { check.admits($0) }
  }

  /// Whether both have the same bytes in UTF-8. `==` on `String` also takes canonically equivalent text for equal, such
  /// as U+212A (KELVIN SIGN) and `K`.
  package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
