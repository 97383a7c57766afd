import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The request of verifyReceipt", .timeLimit(.minutes(30)))
struct VerifyReceiptRequestTests {
  private func read(_ fields: String) -> Result<VerifyReceiptRequest, VerifyReceiptRequest.Refusal> {
    Result { () throws(VerifyReceiptRequest.Refusal) in
      try VerifyReceiptRequest(Data("{\"receipt-data\":\"AAAA\"\(fields)}".utf8))
    }
  }

  @Test(
    "G1 exclude-old-transactions is a boolean; 1 and 0 pass for one, and null for nothing",
    arguments: [
      ("", false), (",\"exclude-old-transactions\":true", true), (",\"exclude-old-transactions\":false", false),
      (",\"exclude-old-transactions\":1", true), (",\"exclude-old-transactions\":0", false),
      (",\"exclude-old-transactions\":null", false),
    ])
  func exclusion(field: String, expected: Bool) throws {
    #expect(try read(field).get().excludesOldTransactions == expected)
  }

  @Test(
    "G1 21000: exclude-old-transactions of another type", arguments: ["\"true\"", "2", "-1", "0.5", "[]", "{}", "\"\""])
  func wrongExclusion(value: String) {
    #expect(
      throws: VerifyReceiptRequest.Refusal(
        status: .unreadableRequest, reason: "exclude-old-transactions is neither true nor false")
    ) {
      try read(",\"exclude-old-transactions\":\(value)").get()
    }
  }

  @Test("G1 exclude-old-transactions changes nothing for a receipt without subscriptions")
  func noEffect() async throws {
    let shop = try await TeaShop()
    let data = try #require(try await shop.buy(on: try await shop.phone()).receipt)
    let plain = try await shop.store.verifyReceipt(
      Data("{\"receipt-data\":\"\(data.base64EncodedString())\"}".utf8), at: .sandbox)
    let excluding = try await shop.store.verifyReceipt(
      Data("{\"exclude-old-transactions\":true,\"receipt-data\":\"\(data.base64EncodedString())\"}".utf8), at: .sandbox)
    #expect(plain.status == .valid)
    // Each answer has a later date.
    let dates = /"request_date[a-z_]*":"[^"]*"/
    let (first, second) = (String(decoding: plain.body, as: UTF8.self), String(decoding: excluding.body, as: UTF8.self))
    #expect(first != second)
    #expect(first.replacing(dates, with: "") == second.replacing(dates, with: ""))
  }

  @Test(
    "G1 password is text; null is none, and anything else is a wrong one",
    arguments: [
      ("", VerifyReceiptRequest.Password.none), (",\"password\":null", .none), (",\"password\":\"\"", .text("")),
      (",\"password\":\"s\"", .text("s")), (",\"password\":1", .unusable), (",\"password\":true", .unusable),
      (",\"password\":[\"s\"]", .unusable),
    ])
  func password(field: String, expected: VerifyReceiptRequest.Password) throws {
    #expect(try read(field).get().password == expected)
  }

  @Test("G1 unknown fields are passed over")
  func unknownField() throws {
    #expect(try read(",\"colour\":\"green\"").get().receipt == .app(Data([0, 0, 0])))
  }

  @Test(
    "G1 21000: a body that is not one JSON object",
    arguments: [
      "", "[]", "\"receipt-data\"", "{\"receipt-data\":\"AAAA\"", "{\"receipt-data\":\"AAAA\"} {}",
      "{\"receipt-data\":\"\u{01}\"}",
      "{\"receipt-data\":\"AAAA\",\"password\":truth}", "{\"receipt-data\":\"AAAA\",\"password\":01}",
    ])
  func unreadable(body: String) {
    #expect(
      throws: VerifyReceiptRequest.Refusal(status: .unreadableRequest, reason: "the body is not a JSON object")
    ) {
      try VerifyReceiptRequest(Data(body.utf8))
    }
  }

  @Test("G1 escapes in receipt-data and password are decoded")
  func escapes() throws {
    let body = #" { "receipt-data" : "\/\/\/\/AA\u0041A" , "p\u0061ssword" : "\u00e9\ud83d\ude00" } "#
    // `receipt-data` is in the middle of a larger buffer, as a slice is.
    let request = try VerifyReceiptRequest(Data("xx\(body)".utf8).dropFirst(2))
    #expect(request.receipt == .app(Data([0xFF, 0xFF, 0xFF, 0, 0, 0])))
    #expect(request.password == .text("é😀"))
  }

  @Test("G1 what begins with a brace is taken for a legacy receipt, white space or not")
  func generations() throws {
    func receipt(_ text: String) throws -> VerifyReceiptRequest.Receipt {
      let base64 = Data(text.utf8).base64EncodedString()
      return try VerifyReceiptRequest(Data("{\"receipt-data\":\"\(base64)\"}".utf8)).receipt
    }
    for text in ["{", "\n\t {}", "{\"signature\" = \"\";}"] { #expect(try receipt(text) == .legacy(Data(text.utf8))) }
    for text in ["0", "[{", "\u{01}{", "   "] { #expect(try receipt(text) == .app(Data(text.utf8))) }
  }
}
