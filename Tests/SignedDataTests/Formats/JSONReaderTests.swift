import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("The JSON reader", .timeLimit(.minutes(30)))
struct JSONReaderTests {
  @Test(
    "takes what RFC 8259 allows",
    arguments: [
      "{}", "[]", " [ ] ", "0", "-0", "1e5", "1E+5", "1.5e-3", "\"\"", "true", "false", "null", "\t\r\n {\"a\":[{}]}",
      #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDC12""#, "\"é\u{1F412}\u{10FFFF}\"", "{\"\":0}",
      "123456789012345678901234567890",
    ])
  func accepted(text: String) throws {
    _ = try JSONTree.read(Array(text.utf8))
  }

  @Test(
    "refuses what it does not allow",
    arguments: [
      "", " ", "{", "[", "}", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "01", "-", "+1",
      "1.",
      ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "tru", "truex", "nul", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"",
      "\"\\u12G4\"", #""\uD83D""#, #""\uDC12""#, #""\uD83D\u0041""#, "\"\u{1}\"", "\"\n\"", "1 2", "{} {}", "[1 2]",
      "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", #"{"a":1,"\u0061":2}"#, "\u{FEFF}{}", "/**/1", "1//",
    ])
  func refused(text: String) {
    #expect(throws: JSONFault.self) { try JSONTree.read(Array(text.utf8)) }
  }

  @Test(
    "the check names what another decoder would take for a repeated name, and what is no JSON",
    arguments: [
      (#"{"a":1,"\u0061":2}"#, "the name a occurs twice"), (#"[{"K":1,"\u212a":2}]"#, "the name \u{212A} occurs twice"),
      ("{\"\u{E9}\":1,\"e\u{301}\":2}", "the name e\u{301} occurs twice"),
      (#"{"a":{"\u00e9":1},"b":{"e\u0301":2}}"#, nil), (#"{"\u00e9":{"e\u0301":2}}"#, nil), ("\u{FEFF}[1]", nil),
      ("[1,]", "it is not valid JSON at byte 3: a value is expected"),
      ("01", "it is not valid JSON at byte 1: a number begins with a needless zero"),
      ("[-00]", "it is not valid JSON at byte 3: a number begins with a needless zero"), ("[0,-0,0.5,0e1]", nil),
      (#"{"a":[-1.5E+400]}"#, "the number -1.5E+400 is out of range"), ("[1e308,1e-308]", nil),
      (#"{"a":"b\u0000"}"#, "a text has the character U+0000, which cannot be kept"),
      (#"{"\u0000":1}"#, "a text has the character U+0000, which cannot be kept"), (#"["\\u0000"]"#, nil),
    ] as [(String, String?)])
  func check(text: String, problem: String?) {
    let found = JSONCheck.problem(in: Data(text.utf8))
    #expect(found.map { Array($0.utf8) } == problem.map { Array($0.utf8) }, "\(found ?? "")")
    #expect((JSONCheck.repeatedName(in: Data(text.utf8)) != nil) == (problem?.contains("twice") == true))
  }

  @Test("the check takes linear time for names that are slow to compare")
  func slowNames() {
    let marks = String(repeating: "\u{301}\u{316}", count: 50_000)
    #expect(JSONCheck.problem(in: Data("{\"\(marks)\":1}".utf8))?.contains("combining marks") == true)
  }

  @Test(
    "refuses what is not UTF-8",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xF0, 0x9F, 0x90],
    ] as [[UInt8]])
  func notUTF8(bytes: [UInt8]) {
    #expect(throws: JSONFault.self) { try JSONTree.read([0x22] + bytes + [0x22]) }
  }

  @Test("integers are exact at both ends, and what does not fit is refused")
  func integers() throws {
    #expect(try JSONTree.read(Array("9223372036854775807".utf8)) == .number("9223372036854775807"))
    func integer(_ text: String) throws -> Int64 {
      try Array(text.utf8).withUnsafeBufferPointer { bytes in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in try reader.integer() }
      }
    }
    func rounded(_ text: String) throws -> Int64 {
      try Array(text.utf8).withUnsafeBufferPointer { bytes in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in try reader.roundedInteger() }
      }
    }
    #expect(try integer("9223372036854775807") == .max && integer("-9223372036854775808") == .min)
    #expect(try rounded("1.5") == 2 && rounded("-1.5") == -2 && rounded("1e3") == 1000 && rounded("0.4") == 0)
    for text in [
      "9223372036854775808", "-9223372036854775809", "1.0", "1e2", "\"1\"", "null", "99999999999999999999999",
    ] {
      #expect(throws: JSONFault.self) { try integer(text) }
    }
    for text in ["1e19", "-1e400", "1e999999999999"] { #expect(throws: JSONFault.self) { try rounded(text) } }
  }

  @Test("nesting is limited, and deep nesting costs no stack")
  func nesting() throws {
    let limit = JSONReader.maximumDepth
    _ = try JSONTree.read(Array((String(repeating: "[", count: limit) + String(repeating: "]", count: limit)).utf8))
    for opening in ["[", "{\"a\":", "[{\"a\":"] {
      let text = String(repeating: opening, count: 500_000)
      #expect(throws: JSONFault.self) { try JSONTree.read(Array(text.utf8)) }
    }
  }

  @Test("an object of very many members is linear, and equal names are found among them")
  func manyMembers() throws {
    let members = (0..<20_000).map { "\"aaaaaaaa\($0)zzzzzzzz\":\($0)" }
    _ = try JSONTree.read(Array("{\(members.joined(separator: ","))}".utf8))
    for place in [0, 63, 64, 65, 19_999] {
      let text = "{\(members.joined(separator: ",")),\(members[place])}"
      #expect(throws: JSONFault.self) { try JSONTree.read(Array(text.utf8)) }
    }
    let nested = (0..<100).map { "\"k\($0)\":{\"k\($0)\":0,\"k1\($0)\":{}}" }
    _ = try JSONTree.read(Array("{\(nested.joined(separator: ","))}".utf8))
  }

  @Test("agrees with JSONSerialization on generated documents")
  func differential() throws {
    for seed in 0..<400 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var names = 0
      let text = JSONDocuments.value(depth: 4, using: &generator, names: &names)
      let ours = try JSONTree.read(Array("[\(text)]".utf8))
      let theirs = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8))
      #expect(ours.isEqual(to: theirs), "seed \(seed): \(text)")
    }
  }

  @Test("whatever it takes of damaged documents, JSONSerialization takes too")
  func damagedDocuments() throws {
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var names = 0
      let bytes = Array("[\(JSONDocuments.value(depth: 3, using: &generator, names: &names))]".utf8)
      let damaged = Mutation.random(of: bytes, using: &generator)
      guard let ours = try? JSONTree.read(damaged) else { continue }
      // The two readers may differ about numbers outside Double's range. They must agree about everything else.
      guard let theirs = try? JSONSerialization.jsonObject(with: Data(damaged), options: .fragmentsAllowed) else {
        #expect(ours.hasHugeNumber, "seed \(seed): \(String(decoding: damaged, as: UTF8.self))")
        continue
      }
      #expect(ours.isEqual(to: theirs) || ours.hasHugeNumber, "seed \(seed)")
    }
  }
}
