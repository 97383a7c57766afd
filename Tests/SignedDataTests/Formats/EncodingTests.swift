import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Encodings", .timeLimit(.minutes(30)))
struct EncodingTests {
  @Test("base64 agrees with Foundation's in both alphabets")
  func base64() {
    var generator = SeededGenerator(seed: 1)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      let standard = Data(bytes).base64EncodedString()
      let url = standard.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
      #expect(Base64.text(bytes, .standard) == standard)
      #expect(Base64.text(bytes, .url) == url)
      #expect(decode(standard, .standard) == bytes && decode(url, .url) == bytes)
    }
  }

  @Test("base64 with other characters, wrong padding or bits left over is refused")
  func strictBase64() {
    for text in [
      "A", "AA", "AAA", "AA=", "AB==", "AAB=", "A===", "====", "=AAA", "AA=A", "AAA\n", "AA-_", "A A=", "AAAé",
    ] {
      #expect(decode(text, .standard) == nil, "\(text)")
    }
    for text in ["A", "AB", "AAB", "AA==", "AAA=", "AA+/", "AAAA=", "AAAAA", " AAA"] {
      #expect(decode(text, .url) == nil, "\(text)")
    }
    #expect(decode("AAA=", .standard) == [0, 0] && decode("AA", .url) == [0])
  }

  @Test("dates are read with fractions and offsets, and written in whole seconds")
  func dates() {
    for (text, milliseconds) in [
      ("1970-01-01T00:00:00Z", 0), ("2024-02-29T23:59:59Z", 1_709_251_199_000),
      ("2024-05-01T10:00:00.5Z", 1_714_557_600_500), ("2024-05-01T10:00:00.123999Z", 1_714_557_600_123),
      ("2024-05-01T11:00:00+01:00", 1_714_557_600_000), ("2024-05-01T11:00:00+0100", 1_714_557_600_000),
      ("2024-05-01T09:30:00.25-0030", 1_714_557_600_250), ("2024-05-01 10:00:00z", 1_714_557_600_000),
      ("4001-01-01T00:00:00Z", 64_092_211_200_000), ("0001-01-03T00:00:00Z", -62_135_424_000_000),
    ] as [(String, Int64)] {
      #expect(date(text)?.millisecondsSince1970 == milliseconds, "\(text)")
    }
    for text in [
      "", "2024-05-01", "2024-05-01T10:00:00", "2024-05-01T10:00:00.Z", "2024-02-30T10:00:00Z", "2023-02-29T10:00:00Z",
      "2024-13-01T10:00:00Z", "2024-00-01T10:00:00Z", "2024-05-01T24:00:00Z", "2024-05-01T10:60:00Z",
      "2024-05-01T10:00:00+1", "2024-05-01T10:00:00+01:0", "2024-05-01T10:00:00Zx", "2024-05-01T10:00:00+9999",
      "-024-05-01T10:00:00Z", "2024-05-01T10:00:00.123456789012345678901234567890123456789012345Z",
    ] {
      #expect(date(text) == nil, "\(text)")
    }
  }

  @Test("calendar arithmetic agrees with Foundation's over 4,000 years")
  func calendar() {
    var generator = SeededGenerator(seed: 2)
    var style = Date.ISO8601FormatStyle()
    style.timeZone = .gmt
    for _ in 0..<2000 {
      let seconds = Int64.random(in: -30_000_000_000...90_000_000_000, using: &generator)
      let moment = StoreDate(millisecondsSince1970: seconds * 1000)
      let text = RFC3339.text(moment)
      #expect(date(text) == moment)
      if seconds > -12_000_000_000 { #expect(text == moment.date.formatted(style)) }
    }
    #expect(RFC3339.text(StoreDate(millisecondsSince1970: .max)) == "9999-12-31T23:59:59Z")
    #expect(RFC3339.text(StoreDate(millisecondsSince1970: .min)) == "0000-01-01T00:00:00Z")
  }

  @Test("DER integers and lengths are written in their shortest form and read back")
  func der() throws {
    for value in [0, 1, -1, 127, 128, -128, -129, 255, 256, 65_535, .max, .min] as [Int64] {
      let bytes = DERWriter.integer(value)
      let read = try bytes.withUnsafeBufferPointer { bytes in
        var reader = TLVReader(bytes)
        return try reader.integer()
      }
      #expect(read == value)
    }
    #expect(DERWriter.integer(128) == [2, 2, 0, 128] && DERWriter.integer(-128) == [2, 1, 128])
    for length in [0, 127, 128, 255, 256, 70_000] {
      let bytes = DERWriter.octetString([UInt8](repeating: 7, count: length))
      let count = try bytes.withUnsafeBufferPointer { bytes in
        var reader = TLVReader(bytes)
        return try reader.next().content.count
      }
      #expect(count == length)
    }
  }

  @Test("property lists come back as they were written, escapes included")
  func propertyList() throws {
    let fields = [
      LegacyReceipt.Field(key: "plain", value: "value"),
      LegacyReceipt.Field(key: "quote\"d", value: "back\\slash \"quoted\"; = { }\n\t\u{1F412}"),
      LegacyReceipt.Field(key: "empty", value: ""),
    ]
    let bytes = OldStylePropertyList.text(fields)
    #expect(try bytes.withUnsafeBufferPointer { try OldStylePropertyList.read($0) } == fields)
    let escaped = Array(#"{"a"="\a\b\f\n\r\t\v\"\\\'\U0041";}"#.utf8)
    let value = try escaped.withUnsafeBufferPointer { try OldStylePropertyList.read($0) }.first?.value
    #expect(value == "\u{7}\u{8}\u{C}\n\r\t\u{B}\"\\'A")
    for text in [
      "", "{", "}", "{}x", #"{"a"}"#, #"{"a"="b"}"#, #"{"a"=b;}"#, #"{"a"="b";"a"="c";}"#, #"{"a"="\x";}"#,
      #"{"a"="\U00";}"#, #"{"a"="\UD800";}"#, #"{"a"="b;}"#, #"{"a"="\"#, #"{"a"={};}"#,
    ] {
      #expect(throws: OldStylePropertyList.Fault.self) {
        try Array(text.utf8).withUnsafeBufferPointer { try OldStylePropertyList.read($0) }
      }
    }
  }

  private func decode(_ text: String, _ alphabet: Base64.Alphabet) -> [UInt8]? {
    Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0, alphabet) }
  }

  private func date(_ text: String) -> StoreDate? {
    Array(text.utf8).withUnsafeBufferPointer { RFC3339.date($0) }
  }
}
