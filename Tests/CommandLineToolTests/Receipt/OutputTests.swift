import Foundation
import Testing

@testable import CommandLineTool

@Suite("Tables and documents", .timeLimit(.minutes(30)))
struct OutputTests {
  static let columns: [TextTable.Column] = [
    .init(heading: "product"), .init(heading: "qty", isNumber: true), .init(heading: "expires"),
  ]

  @Test("columns are aligned, numbers to the right, and empty columns left out")
  func table() {
    let table = TextTable(columns: Self.columns, rows: [["a", "1", ""], ["猿の本", "12", ""]])
    #expect(table.lines == ["product  qty", "a          1", "猿の本    12"])
    #expect(Set(table.lines.map(\.terminalColumns)) == [12])
  }

  @Test("a table that is too wide becomes a block of lines for each row")
  func blocks() {
    let wide = String(repeating: "w", count: 90)
    let table = TextTable(columns: Self.columns, rows: [[wide, "1", "tomorrow"], ["b", "2", ""]])
    #expect(
      table.lines == [
        wide, "  qty 1   expires tomorrow", "b", "  qty 2",
      ])
  }

  @Test("labelled rows are aligned, and wrapped between words only")
  func rows() {
    var rows = LabeledRows()
    rows.add("a", String(repeating: "word ", count: 25) + "end")
    rows.add("long label", String(repeating: "x", count: 120))
    rows.add("none", nil)
    let lines = rows.lines
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("a           word") && lines[0].count <= 100)
    #expect(lines[1].hasPrefix("            word"))
    #expect(lines[2] == "long label  " + String(repeating: "x", count: 120))
  }

  @Test("a document keeps the order of keys and the notation of numbers")
  func document() throws {
    let text = #"{"b":[1,true,null,{}],"a":{"z":1714557600123.25,"y":9007199254740993},"Ä":"\u00e4\"\\"}"#
    let value = try #require(JSONValue(parsing: text.utf8))
    #expect(
      value.document == """
        {
          "a": {
            "y": 9007199254740993,
            "z": 1714557600123.25
          },
          "b": [
            1,
            true,
            null,
            {}
          ],
          "Ä": "ä\\"\\\\"
        }

        """)
    #expect(JSONValue(parsing: value.document.utf8) == value)
  }

  @Test(
    "numbers of any size stay valid JSON numbers",
    arguments: ["-0", "1E5", "1.5e300", "123456789012345678901234567890", "18446744073709551615", "0.1", "1e999"])
  func numbers(text: String) throws {
    // Numbers beyond all types may be refused, but must not become invalid JSON.
    guard let value = JSONValue(parsing: "[\(text)]".utf8) else { return }
    let written = try #require(JSONValue(parsing: value.document.utf8))
    #expect(written == value)
  }

  @Test("endless nesting is refused, and does not exhaust the stack")
  func nesting() {
    #expect(JSONValue(parsing: String(repeating: "[", count: 1_000_000).utf8) == nil)
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    #expect(JSONValue(parsing: deep.utf8).map { JSONValue(parsing: $0.document.utf8) == $0 } != false)
  }

  @Test("text that is not JSON is refused", arguments: ["", "{", "nope", "{} {}"])
  func malformed(text: String) {
    #expect(JSONValue(parsing: text.utf8) == nil)
  }
}
