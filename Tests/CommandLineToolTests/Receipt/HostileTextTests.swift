import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("Hostile text on the terminal", .timeLimit(.minutes(30)))
struct HostileTextTests {
  static let hostile = "a\u{1B}[2J\nverdict  verified\u{202E}\u{7F}\u{9B}31m\u{2028}\u{E0041}\u{A0}z"

  @Test("control, format and bidirectional characters are written as escapes, others stay")
  func escapes() {
    #expect(
      Self.hostile.madeVisible
        == #"a\u{1B}[2J\u{A}verdict  verified\u{202E}\u{7F}\u{9B}31m\u{2028}\u{E0041}\u{A0}z"#)
    #expect("Äpfel 猿 🐒 café".madeVisible == "Äpfel 猿 🐒 café")
    // Invisible characters: a letter, a mark, and the start of an annotation.
    #expect("\u{3164}x\u{34F}\u{FFF9}".madeVisible == #"\u{3164}x\u{34F}\u{FFF9}"#)
    #expect("tab\tcr\r".madeVisible == #"tab\u{9}cr\u{D}"#)
  }

  @Test("text that is too long is truncated, also a single character of many scalars")
  func limits() {
    #expect("abcdef".madeVisible(limit: 3) == "abc…")
    #expect("abc".madeVisible(limit: 3) == "abc")
    let tower = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(tower.madeVisible(limit: 10).unicodeScalars.count <= 41)
  }

  @Test("hostile text in an app receipt forges no output, as text and as JSON")
  func receipt() async throws {
    let folder = try ScratchFolder()
    var receipt = SampleStore.unsignedReceipt(
      [SampleStore.record(productID: ProductID(Self.hostile))], bundleID: BundleID(Self.hostile))
    receipt.applicationVersion = Self.hostile
    let file = try folder.write("receipt", try SampleStore.authority.signAppReceipt(receipt, at: SampleStore.date))
    let root = try folder.write("root", try SampleStore.authority.receiptRootCertificate)
    for arguments in [[file], [file, "--root", root, "--bundle-id", "x"]] {
      let run = try await CommandRun.verify(arguments[0], "--json")
      #expect(Self.isSafe(run.output))
      let json = try #require(run.json?["receipt"] as? [String: Any])
      #expect(json["bundleId"] as? String == Self.hostile)
    }
    let text = try await CommandRun.verify(file, "--root", root, "--bundle-id", "x")
    #expect(text.status == 1)
    #expect(Self.isSafe(text.output))
    #expect(text.output.split(separator: "\n").filter { $0.hasPrefix("verdict ") }.count == 1)
  }

  @Test("hostile text in a payload is shown with JSON escapes")
  func payload() async throws {
    let folder = try ScratchFolder()
    let escaped = try #require(
      String(data: try JSONSerialization.data(withJSONObject: [Self.hostile: Self.hostile]), encoding: .utf8))
    let file = try folder.write("jws", try SampleStore.payload(escaped))
    let run = try await CommandRun.inspect(file)
    #expect(run.status == 0)
    #expect(Self.isSafe(run.output))
    #expect(run.output.contains(#"\u001b"#))
    #expect(run.output.contains(#"\udb40\udc41"#))
  }

  @Test("hostile characters in a file's name are escaped, too")
  func fileName() async throws {
    let run = try await CommandRun.inspect("/nowhere/\u{1B}[31m")
    #expect(run.message == #"/nowhere/\u{1B}[31m cannot be read: there is no such file"#)
  }

  @Test("dates beyond the calendar are written as numbers", arguments: [Int64.max, .min, 253_402_300_800_000])
  func dates(milliseconds: Int64) {
    #expect(StoreDate(millisecondsSince1970: milliseconds).readable == "\(milliseconds) ms since 1970")
  }

  @Test("dates within it are written in UTC")
  func ordinaryDates() {
    #expect(SampleStore.date.readable == "2024-05-01 10:00:00Z")
    #expect(SampleStore.date.adding(milliseconds: 5).readable == "2024-05-01 10:00:00.005Z")
    // The date that Xcode writes for an app that was never bought.
    #expect(StoreDate(millisecondsSince1970: -62_135_769_600_000).readable == "0001-01-01 00:00:00Z")
  }

  static func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPlainlyVisible }
  }
}
