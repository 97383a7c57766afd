import Foundation
import StoreModel
import Testing

@Suite("Bounds of JSON from outside", .timeLimit(.minutes(30)))
struct BoundedJSONTests {
  private static let marks = String(repeating: "\u{301}\u{316}", count: 16)

  @Test(
    "what exceeds a bound is refused before it is decoded, and the reason says which",
    arguments: [
      (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "nested"),
      ("{\"\(String(repeating: "n", count: 257))\": 1}", "name"),
      ("{\"\(String(repeating: "n", count: 257))\"\n\t :1}", "name"),
      ("[\(String(repeating: "1", count: 257))]", "number"),
      ("[0\(String(repeating: ",0", count: 100_000))]", "values"),
      ("[0\(String(repeating: ",[]", count: 100_000))]", "values"),
      ("{\"\(marks)\":1}", "combining marks"),
      ("[\"\(marks)\"]", "combining marks"),
      ("[\"\(String(repeating: #"\u0301\u0316"#, count: 16))\"]", "combining marks"),
      // U+1D165 in two code units.
      ("[\"\(String(repeating: #"\uD834\uDD65"#, count: 31))\"]", "combining marks"),
      ("[\"\(String(repeating: "\u{301}\\u0316", count: 16))\"]", "combining marks"),
    ])
  func refused(document: String, reason: String) {
    let error = #expect(throws: BoundedJSON.Fault.self) { try BoundedJSON.check(Data(document.utf8)) }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    #expect(throws: DecodingError.self) { try BoundedJSON.decode([Int].self, from: Data(document.utf8)) }
  }

  @Test(
    "what is within the bounds is decoded",
    arguments: [
      "[]", " [ ] ", "\u{FEFF}[\"a\"]", "[\"\(String(repeating: "x", count: 100_000))\"]",
      "[\"\(String(repeating: "e\u{301}", count: 10_000))\"]", #"["\u0301\u0041\u0301\\u0301\"{[["]"#,
      "[\"{[\(String(repeating: "[", count: 100))\"]",
    ])
  func accepted(document: String) throws {
    _ = try BoundedJSON.decode([String].self, from: Data(document.utf8))
  }

  @Test("bounds are those that are asked for")
  func bounds() throws {
    let many = Data("[0\(String(repeating: ",0", count: 200_000))]".utf8)
    #expect(try BoundedJSON.decode([Int].self, from: many, within: .file).count == 200_001)
  }

  @Test(
    "other encodings, of which Foundation reads some, are refused: nothing could be counted in them",
    arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
  func encodings(encoding: String.Encoding) throws {
    let document = try #require(#"{"a": "b"}"#.data(using: encoding))
    #expect(throws: BoundedJSON.Fault.self) { try BoundedJSON.check(document) }
  }

  @Test("what is cut off anywhere is read without a crash")
  func cutOff() {
    let document = Data(#"{"a\u0301": ["\uD834\uDD65", -1.5e3, true, null, {"b\\": "\""}]}"#.utf8)
    for length in 0...document.count { _ = try? BoundedJSON.check(document.prefix(length)) }
  }
}
