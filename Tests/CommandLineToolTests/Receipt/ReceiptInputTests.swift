import Foundation
import Testing

@testable import CommandLineTool

@Suite("Detection of the input format", .timeLimit(.minutes(30)))
struct ReceiptInputTests {
  @Test("an app receipt is detected by its container, in binary and in base64")
  func appReceipt() throws {
    let receipt = try SampleStore.receipt()
    #expect(try ReceiptInput(receipt) == .appReceipt(receipt))
    #expect(try ReceiptInput(receipt.base64EncodedData()) == .appReceipt(receipt))
  }

  @Test("a container of indefinite length, as Xcode writes it, is an app receipt")
  func indefiniteLength() throws {
    let container = Data([0x30, 0x80, 0x06, 0x00, 0x00, 0x00])
    #expect(try ReceiptInput(container) == .appReceipt(container))
  }

  @Test("white space around and inside base64 does not matter")
  func wrappedBase64() throws {
    let receipt = try SampleStore.receipt()
    let text = receipt.base64EncodedData(options: [.lineLength64Characters, .endLineWithCarriageReturn])
    #expect(try ReceiptInput(Data("\u{FEFF} \t".utf8) + text + Data("\r\n\n".utf8)) == .appReceipt(receipt))
  }

  @Test("a legacy receipt is detected as a property list, in binary and in base64")
  func legacyReceipt() throws {
    let receipt = try SampleStore.legacyReceipt()
    #expect(try ReceiptInput(receipt) == .legacyReceipt(receipt))
    #expect(try ReceiptInput(receipt.base64EncodedData()) == .legacyReceipt(receipt))
  }

  @Test("a JWS is detected by its three parts, also with line breaks")
  func jws() throws {
    let jws = try SampleStore.transaction()
    #expect(try ReceiptInput(Data(jws.utf8)) == .jws(jws))
    let broken = String(jws.prefix(100)) + "\n  " + jws.dropFirst(100) + "\n"
    #expect(try ReceiptInput(Data(broken.utf8)) == .jws(jws))
  }

  @Test(
    "any other input is refused with a reason",
    arguments: [
      ("", ReceiptInput.Fault.empty), (" \n\t", .empty), ("\u{FEFF}", .empty),
      ("{\"receipt-data\": \"MIIT\"}", .json), ("{\n \"signedPayload\" : \"e.e.e\" }", .json),
      ("{}", .unknown), ("{ signature = x; }", .unknown), ("hello world!", .unknown), ("a.b", .unknown),
      ("a.b.c.d", .unknown), ("0123456789", .unknown), ("aGVsbG8=", .unknownInBase64),
      ("eyJhIjoxfQ==", .json),
    ])
  func refused(text: String, fault: ReceiptInput.Fault) {
    #expect(throws: fault) { try ReceiptInput(Data(text.utf8)) }
  }

  @Test(
    "damaged base64 of a receipt is refused, with what happened to it",
    arguments: [
      ("plus signs that became spaces", "plus signs became spaces"), ("cut off", "cut off"), ("URL alphabet", "URL"),
      ("percent-encoded", "percent-encoded"), ("data: prefix", "data: URL"), ("quotes", "quotation mark"),
      ("JSON escapes", "escaped as in JSON"), ("padding", "padding"),
      ("plus signs that became spaces, in lines", "plus signs became spaces"), ("foreign", "does not have"),
    ])
  func damaged(name: String, hint: String) throws {
    // The length decides whether the text without its spaces looks whole, so all lengths are tried.
    for length in 0..<4 {
      let receipt = try SampleStore.receipt() + Data(repeating: 0xFB, count: length)
      let base64 = receipt.base64EncodedString()
      let text =
        switch name {
        case "plus signs that became spaces": base64.replacing("+", with: " ")
        case "plus signs that became spaces, in lines":
          receipt.base64EncodedString(options: .lineLength64Characters).replacing("+", with: " ")
        case "cut off": String(base64.replacing("=", with: "").prefix(1001 + length % 3))
        case "URL alphabet": base64.replacing("+", with: "-").replacing("/", with: "_")
        case "percent-encoded": base64.replacing("+", with: "%2B").replacing("/", with: "%2F")
        case "data: prefix": "data:application/octet-stream;base64," + base64
        case "quotes": "\"\(base64)\""
        case "JSON escapes": base64.replacing("/", with: "\\/")
        case "padding": base64.replacing("=", with: "") + "==="
        default: String(base64.prefix(100)) + "*" + base64.dropFirst(100)
        }
      let error = #expect(throws: ReceiptInput.Fault.self) { try ReceiptInput(Data(text.utf8)) }
      #expect(error?.description.contains(hint) == true, "\(error?.description ?? "none")")
    }
    let legacy = try SampleStore.legacyReceipt().base64EncodedString().replacing("=", with: "") + "*"
    #expect(throws: ReceiptInput.Fault.self) { try ReceiptInput(Data(legacy.utf8)) }
  }

  @Test("base64 in lines that are separated by spaces is still read")
  func spaces() throws {
    let receipt = try SampleStore.receipt()
    let text = receipt.base64EncodedString(options: .lineLength64Characters).replacing("\r\n", with: " ")
    #expect(try ReceiptInput(Data(text.utf8)) == .appReceipt(receipt))
  }

  @Test("bytes of no format are refused")
  func bytes() {
    #expect(throws: ReceiptInput.Fault.unknown) { try ReceiptInput(Data([0xFF, 0x00, 0x80, 0x30])) }
    #expect(throws: ReceiptInput.Fault.unknown) { try ReceiptInput(Data([0x30])) }
  }

  @Test("a slice of data whose first index is not 0 is read correctly")
  func slice() throws {
    let receipt = try SampleStore.receipt()
    let slice = (Data([1, 2, 3]) + receipt).dropFirst(3)
    #expect(try ReceiptInput(slice) == .appReceipt(receipt))
  }
}
