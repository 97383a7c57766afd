import Foundation
import PurchaseServer
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import ProgramSupport

@Suite("The files of openstorekit server import", .timeLimit(.minutes(30)))
struct ImportFileTests {
  /// Returns the rows of a file, each as text.
  private static func rows(_ text: some Sequence<UInt8>) throws -> [String] {
    let folder = try ScratchFolder()
    var file = try ImportFile(folder.write("purchases", text))
    var rows: [String] = []
    while let row = try file.next() {
      switch row {
      case .row(let row):
        rows.append(
          "\(row.row) \(row.customer ?? "-") \(row.subject ?? "-") \(row.transactionId ?? row.appReceipt ?? "-")")
      case .malformed(let result): rows.append("\(result.row) \(result.column ?? "-"): \(result.message ?? "")")
      case .end(let result): return rows + ["\(result.row) end: \(result.message ?? "")"]
      }
    }
    return rows
  }

  @Test(
    "CSV: quotation marks and commas inside values, base64 with line breaks, CRLF, a byte order mark, blank rows, empty values"
  )
  func csv() throws {
    let text = "\u{FEFF}subject,customer,appReceipt\r\n\"a, \"\"b\"\"\",,1\r\n\r\n,d,\"MII\r\nT+/=\n\"\r\n,e,3"
    #expect(try Self.rows(text.utf8) == ["2 - a, \"b\" 1", "4 d - MII\r\nT+/=\n", "5 e - 3"])
  }

  @Test(
    "a quotation mark that is not closed in its row ends the file there: the rows in the value are not lost silently",
    arguments: [
      // Up to the end of the file.
      "b,\"MIIT\nc,MIIU\nd,4\n",
      // Up to the next quotation mark: at the start of a value, at its end, in the first column, or doubled.
      "b,\"MIIT\nc,\"MIIU\"\nd,4\n", "b,\"MIIT\nc,MIIU\"\nd,4\n", "\"b,MIIT\n\"c\",MIIU\nd,4\n",
      "b,\"MIIT\n\"\"c\"\",MIIU\n", "b,\"MIIT\n\"c,MIIU\n",
    ])
  func unclosed(rest: String) throws {
    let rows = try Self.rows("customer,transactionId\na,1\n\(rest)".utf8)
    #expect(
      rows == [
        "2 a - 1",
        "3 end: A quotation mark opens in this row and is not closed in it, so the rest of the file is not read.",
      ])
  }

  @Test("JSON lines: a row is named by its line; null is a missing value")
  func jsonLines() throws {
    let text =
      "{\"subject\":\"a\",\"customer\":null,\"transactionId\":\"1\"}\n\n {\"customer\":\"b\",\"transactionId\":\"2\"}\r\n"
    #expect(try Self.rows(text.utf8) == ["1 - a 1", "3 b - 2"])
  }

  @Test("a row that cannot be read is named with its column, and the rows after it are read")
  func malformed() throws {
    let csv = "customer,transactionId\na,1,2\n\"b\"c,1\n\u{FF},1\nd,4\n\"e,5\n".utf8.map { $0 }
    var broken = csv
    let place = try #require(broken.firstIndex(of: 0xC3))
    broken.replaceSubrange(place...(place + 1), with: [0xFF])
    let rows = try Self.rows(broken)
    #expect(rows.count == 5, "\(rows)")
    for (row, beginning) in zip(
      rows,
      [
        "2 -: The row has 3 values, the first row 2.", "3 -: A value goes on after its closing quotation mark.",
        "4 customer: The value is not UTF-8.", "5 d - 4", "6 end: A quotation mark opens in this row",
      ]
    ) { #expect(row.hasPrefix(beginning), "\(row)") }
    let json =
      "{\"customer\":\"a\",\"transactionId\":1}\n{\"Customer\":\"a\"}\n[\n{\"customer\":\"b\",\"transactionId\":\"2\"}"
    let lines = try Self.rows(json.utf8)
    #expect(lines.count == 4 && lines.last == "4 b - 2", "\(lines)")
    #expect(
      lines.first?.hasPrefix("1 transactionId: ") == true && lines.dropFirst().first?.hasPrefix("2 Customer: ") == true)
  }

  @Test("a value with a control character is named with its column; a line break in base64 is none")
  func controlCharacters() throws {
    let csv = "subject,transactionId\na\u{0},1\nb,\u{1}\n\"c\",\"4\n\"\n"
    #expect(
      try Self.rows(csv.utf8) == [
        "2 subject: The value has a control character. Remove it.",
        "3 transactionId: The value has a control character. Remove it.", "4 - c 4\n",
      ])
    let json = #"{"subject":"a\u0000","transactionId":"1"}"#
    #expect(try Self.rows(json.utf8) == ["1 subject: The value has a control character. Remove it."])
  }

  @Test("a subject with a blank around it or an invisible character is named with its row and column, in both formats")
  func invisibleSubjects() throws {
    let advice =
      "Write it as the customer's tokens have it, otherwise the customer cannot sign in. If the tokens have it like this, name the customer by id."
    let csv = "transactionId, subject\n1, ada\n2,ada \n3,\"a\u{202E}da\"\n4,\"ada\t\"\n5,ada b\n6,\n"
    #expect(
      try Self.rows(csv.utf8) == [
        "2 subject: The subject begins with a blank. \(advice)", "3 subject: The subject ends with a blank. \(advice)",
        "4 subject: The subject has the invisible character U+202E. \(advice)",
        "5 subject: The subject has the invisible character U+0009. \(advice)", "6 - ada b 5", "7 - - 6",
      ])
    let json = #"{"subject":" ada","transactionId":"1"}"# + "\n" + #"{"subject":"","transactionId":"2"}"#
    #expect(
      try Self.rows(json.utf8) == [
        "1 subject: The subject begins with a blank. \(advice)", "2 subject: The subject is empty. \(advice)",
      ])
  }

  @Test("a JSON row with a member twice is refused: only one of its values would count")
  func repeatedMembers() throws {
    let json = [
      #"{"subject":"ada","transactionId":"1","subject":"bob"}"#, #"{"subject":"ada","\u0073ubject":"ada"}"#,
      #"{"transactionId":null,"transactionId":"2","customer":"c"}"#, #"{"subject":"ada","transactionId":"3"}"#,
    ].joined(separator: "\n")
    let twice = "The row has this member twice. Write it once."
    let expected = ["1 subject: \(twice)", "2 subject: \(twice)", "3 transactionId: \(twice)", "4 - ada 3"]
    #expect(try Self.rows(json.utf8) == expected)
  }

  @Test("a file that changes while it is read has no end: its lost rows would count as imported")
  func changed() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("purchases.csv", "subject,transactionId\na,1\nb,2\n".utf8)
    var file = try ImportFile(path)
    guard case .row? = try file.next() else { throw CocoaError(.fileReadCorruptFile) }
    _ = try folder.write("purchases.csv", "subject,transactionId\na,1\n".utf8)
    #expect(throws: CommandFailure.self) { while try file.next() != nil {} }
  }

  @Test("a row of any length is skipped with a limit of memory, and is no reason to read the next one wrongly")
  func tooLong() throws {
    let folder = try ScratchFolder()
    let long = String(repeating: "\"x\",", count: 40)
    let path = try folder.write("long.csv", "a,b\n\(long)\n\"\(String(repeating: "A=\n", count: 40))\"\nc,d\n")
    var records = FileRecords(
      try FileHandle(forReadingFrom: URL(filePath: path)), .csv, limitBytes: 32)
    var read: [String] = []
    while let record = try records.next() {
      read.append("\(record.number) \(record.fields.count) \(record.fault == nil)")
    }
    #expect(read == ["1 2 true", "2 0 false", "3 0 false", "4 2 true"])
  }

  @Test("unknown and repeated columns, and an empty file, are refused with the known columns")
  func header() throws {
    for (text, part) in [
      ("customer;transactionId\na;1", "is not known"),
      ("customer,receipt\n", "the column receipt in row 1 is not known"),
      ("customer,customer\n", "twice"), ("", "no first row"),
    ] {
      let folder = try ScratchFolder()
      let path = try folder.write("purchases.csv", text)
      do {
        _ = try ImportFile(path)
        Issue.record("\(text) is read")
      } catch let failure as CommandFailure {
        #expect(failure.status == 2 && failure.message.contains(part), "\(failure.message)")
      }
    }
  }
}
