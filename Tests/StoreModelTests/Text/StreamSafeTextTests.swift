import Foundation
import Testing

@testable import StoreModel

@Suite("Stream-safe text", .timeLimit(.minutes(30)))
struct StreamSafeTextTests {
  @Test("every scalar counts as a mark whose decomposition begins with one, and no other")
  func nonstarters() throws {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let first =
        scalar.value < 0x80 ? scalar : String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first
      let isMark = try #require(first).properties.canonicalCombiningClass != .notReordered
      #expect(StreamSafeText.isNonstarter(scalar) == isMark, "U+\(String(value, radix: 16))")
    }
  }

  @Test(
    "30 marks in a row are text, 31 are not, wherever they stand",
    arguments: [("", ""), ("e", ""), ("", "e"), (String(repeating: "é", count: 40), "e"), ("e\u{301}.", "")])
  func runs(before: String, after: String) {
    for mark in ["\u{301}", "\u{F73}", "\u{1D165}"] {
      let (longest, tooLong) = (String(repeating: mark, count: 30), String(repeating: mark, count: 31))
      #expect((before + longest + after).isStreamSafe)
      #expect(!(before + tooLong + after).isStreamSafe)
    }
  }

  @Test("runs that a starter parts are counted apart")
  func parted() {
    let text = String(repeating: "a" + String(repeating: "\u{301}\u{316}", count: 15), count: 1_000)
    #expect(text.isStreamSafe)
  }
}
