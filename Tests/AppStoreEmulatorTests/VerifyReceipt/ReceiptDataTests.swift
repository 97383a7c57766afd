import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// What was measured at Apple's endpoints for each spelling of `receipt-data`.
@Suite("The spellings of receipt-data", .timeLimit(.minutes(30)))
struct ReceiptDataTests {
  struct Spelling: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The status at the endpoint of the receipt's environment.
    let status: Int
    /// A part of the reason in the journal; empty if the receipt is accepted.
    let reason: String
    /// Whether the receipt is accepted if white space is ignored.
    var isLenient = false
    /// Makes the body from the receipt in canonical base64.
    let body: @Sendable (String) -> String
  }

  private static func text(
    _ name: String, _ status: Int, _ reason: String = "", isLenient: Bool = false,
    _ change: @escaping @Sendable (String) -> String
  ) -> Spelling {
    Spelling(testDescription: name, status: status, reason: reason, isLenient: isLenient) {
      "{\"receipt-data\":\(jsonText(change($0)))}"
    }
  }

  private static func lines(_ text: String, _ length: Int, _ end: String) -> String {
    stride(from: 0, to: text.count, by: length).map { String(text.dropFirst($0).prefix(length)) }
      .joined(separator: end)
  }

  private static func jsonText(_ text: String) -> String {
    (try? String(decoding: JSONEncoder().encode(text), as: UTF8.self)) ?? ""
  }

  static let spellings: [Spelling] = [
    text("canonical", 0) { $0 },
    text("padding omitted", 21002, "length is not a multiple of 4") { $0.replacing("=", with: "") },
    text("one = too few", 21002, "padding") { String($0.dropLast()) },
    text("one = too many", 21002, "padding") { $0 + "=" },
    text("two = too many", 21002, "padding") { $0 + "==" },
    text("URL alphabet", 21002, "URL alphabet") { $0.replacing("+", with: "-").replacing("/", with: "_") },
    text("URL alphabet without padding", 21002, "URL alphabet") {
      $0.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    },
    text("both alphabets", 21002, "URL alphabet") { $0.replacing("+", with: "-") },
    text("CRLF at 64", 21002, "at byte 64: a line break", isLenient: true) { lines($0, 64, "\r\n") },
    text("LF at 64", 21002, "at byte 64: a line break", isLenient: true) { lines($0, 64, "\n") },
    text("CRLF at 76", 21002, "at byte 76: a line break", isLenient: true) { lines($0, 76, "\r\n") },
    text("LF at 76", 21002, "at byte 76: a line break", isLenient: true) { lines($0, 76, "\n") },
    text("trailing LF", 21002, "", isLenient: true) { $0 + "\n" },
    text("trailing CRLF", 21002, "", isLenient: true) { $0 + "\r\n" },
    text("100,000 newlines after", 21002, "", isLenient: true) { $0 + String(repeating: "\n", count: 100_000) },
    text("leading space", 21002, "at byte 0: white space", isLenient: true) { " " + $0 },
    text("space inside", 21002, "at byte 8: white space", isLenient: true) { $0.prefix(8) + " " + $0.dropFirst(8) },
    text("tab inside", 21002, "at byte 8: white space", isLenient: true) { $0.prefix(8) + "\t" + $0.dropFirst(8) },
    text("trailing space", 21002, "", isLenient: true) { $0 + " " },
    text("trailing tab", 21002, "", isLenient: true) { $0 + "\t" },
    text("no-break space", 21002, "at byte 0") { "\u{A0}" + $0 },
    text("byte order mark", 21002, "at byte 0: a byte order mark") { "\u{FEFF}" + $0 },
    text("foreign character inside", 21002, "at byte 4: a character") { $0.prefix(4) + "!" + $0.dropFirst(4) },
    text("foreign character after the padding", 21002, "padding") { $0 + "!" },
    text("base64 after the padding", 21002, "padding") { $0 + "AAAA" },
    text("4n+1 characters", 21002, "length is not a multiple of 4") { $0.replacing("=", with: "").prefix(801) + "" },
    text("data: prefix", 21002, "data: URL") { "data:application/octet-stream;base64," + $0 },
    text("percent-encoded", 21002, "percent-encoded") {
      $0.replacing("+", with: "%2B").replacing("/", with: "%2F")
    },
    text("plus signs that became spaces", 21002, "plus signs became spaces") { $0.replacing("+", with: " ") },
    text("empty", 21002, "it is empty") { _ in "" },
    Spelling(testDescription: "escaped slashes", status: 0, reason: "") {
      "{\"receipt-data\":\"\($0.replacing("/", with: "\\/"))\"}"
    },
    Spelling(testDescription: "escaped characters", status: 0, reason: "") {
      "{\"receipt-data\":\"\\u004d\($0.dropFirst())\"}"
    },
    Spelling(testDescription: "unknown keys", status: 0, reason: "") {
      "{\"colour\":[1],\"receipt-data\":\"\($0)\",\"x\":null}"
    },
    Spelling(testDescription: "twice, the last one whole", status: 0, reason: "") {
      "{\"receipt-data\":\"AAAA\",\"receipt-data\":\"\($0)\"}"
    },
    Spelling(testDescription: "twice, the first one whole", status: 21002, reason: "structure: ") {
      "{\"receipt-data\":\"\($0)\",\"receipt-data\":\"AAAA\"}"
    },
    Spelling(testDescription: "missing", status: 21002, reason: "receipt-data is missing") { _ in "{}" },
    Spelling(testDescription: "null", status: 21002, reason: "not a string") { _ in "{\"receipt-data\":null}" },
    Spelling(testDescription: "number", status: 21002, reason: "not a string") { _ in "{\"receipt-data\":5}" },
    Spelling(testDescription: "array", status: 21002, reason: "not a string") { "{\"receipt-data\":[\"\($0)\"]}" },
  ]

  /// Returns a shop and a receipt of it, whose base64 ends with `==` and contains `+` and `/`.
  private func receipt() async throws -> (TeaShop, Data) {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    // Bytes after the receipt are ignored, so they can decide the padding.
    return (shop, data + Data(repeating: 0, count: (4 - data.count % 3) % 3))
  }

  private func status(_ shop: TeaShop, _ body: String) async throws -> Int {
    try await shop.store.verifyReceipt(Data(body.utf8), at: .sandbox).status.rawValue
  }

  @Test("G1 each spelling is read or refused as by Apple, and the journal has the reason", arguments: spellings)
  func spelling(_ spelling: Spelling) async throws {
    let (shop, data) = try await receipt()
    let base64 = data.base64EncodedString()
    try #require(base64.hasSuffix("==") && base64.contains("+") && base64.contains("/"))
    let body = spelling.body(base64)
    #expect(try await status(shop, body) == spelling.status)
    let reason = shop.store.requests().last?.reason
    #expect((reason == nil) == (spelling.status == 0))
    #expect(spelling.reason.isEmpty || reason?.contains(spelling.reason) == true, "\(reason ?? "none")")

    try await shop.store.changeSettings { $0.lenientBase64 = true }
    #expect(try await status(shop, body) == (spelling.isLenient ? 0 : spelling.status))
  }

  @Test("G1 unused low bits of the last character do not matter")
  func unusedBits() async throws {
    let (shop, data) = try await receipt()
    let base64 = data.base64EncodedString()
    let last = try #require(base64.dropLast(2).last)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let place = try #require(alphabet.firstIndex(of: last))
    #expect(place % 16 == 0)
    let body = "{\"receipt-data\":\"\(base64.dropLast(3))\(alphabet[place + 1])==\"}"
    #expect(try await status(shop, body) == 0)
  }

  @Test("G1 bytes after the receipt are ignored: zeros, a letter, many bytes, a NULL, a second receipt")
  func trailing() async throws {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    for more in [Data([0]), Data([0, 0, 0]), Data("x".utf8), Data(repeating: 7, count: 100), Data([5, 0]), data] {
      let answer = try await VerifyReceiptAnswer(shop, data + more)
      #expect(answer.status == 0 && answer.inApp.count == 1)
    }
  }

  @Test("G6 a receipt that was altered by one byte anywhere, cut off, or is none, is 21002, and the journal says why")
  func altered() async throws {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    let payload = try #require(data.range(of: Data(TeaShop.oolong.rawValue.utf8))).lowerBound
    var changed = [(data.prefix(data.count - 1), "cut off"), (Data([0x30, 0x03, 0x02, 0x01, 0x00]), "structure: ")]
    for (place, reason) in [
      (payload, "signature: "), (data.count - 1, "signature: "), (data.count - 400, ""), (payload + 2000, ""),
    ] {
      var copy = data
      copy[place] ^= 1
      changed.append((copy, reason))
    }
    changed.append((Data((0..<400).map { UInt8(truncatingIfNeeded: $0 &* 77) }), "structure: "))
    for (receipt, reason) in changed {
      #expect(try await VerifyReceiptAnswer(shop, receipt).status == 21002)
      let journaled = shop.store.requests().last?.reason ?? ""
      #expect(!journaled.isEmpty && (reason.isEmpty || journaled.contains(reason)), "\(journaled)")
    }
  }

  @Test("G6 a receipt of Xcode is 21002 at both endpoints, even if it is signed by this store")
  func xcode() async throws {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    var contents = try UnverifiedAppReceipt(data).receipt
    contents.receiptType = "Xcode"
    let signed = try shop.store.authority.signAppReceipt(contents, at: TeaShop.opening)
    for environment in [StoreEnvironment.sandbox, .production] {
      #expect(try await VerifyReceiptAnswer(shop, signed, at: environment).status == 21002)
    }
  }

  @Test("G1 a legacy receipt may have line breaks in its base64, and nothing else")
  func legacyLines() async throws {
    let shop = try await TeaShop()
    let delivery = try #require(try await shop.buy(on: try await shop.phone()).deliveries.first)
    let base64 = try #require(delivery.transactionReceipt).base64EncodedString()
    for (text, expected) in [
      (base64, 0), (Self.lines(base64, 64, "\r\n"), 0), (Self.lines(base64, 76, "\n") + "\n", 0),
      (Self.lines(base64, 76, " "), 21002), (base64.replacing("=", with: "") + "-", 21002),
    ] {
      #expect(try await status(shop, "{\"receipt-data\":\(Self.jsonText(text))}") == expected)
    }
  }

  @Test("G1 refusals that are not about the form have a reason in the journal, too")
  func otherReasons() async throws {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    _ = try await VerifyReceiptAnswer(shop, data, at: .production)
    #expect(shop.store.requests().last?.reason == "the receipt is of Sandbox, and was sent to Production")
    _ = try await VerifyReceiptAnswer(shop, data, password: "wrong")
    #expect(shop.store.requests().last?.reason == "password is not the app's shared secret")
    _ = try await shop.store.verifyReceipt(Data("[]".utf8), at: .sandbox)
    #expect(shop.store.requests().last?.reason == "the body is not a JSON object")
  }
}
