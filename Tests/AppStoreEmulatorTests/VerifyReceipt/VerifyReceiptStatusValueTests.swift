import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The statuses of verifyReceipt, as values", .timeLimit(.minutes(30)))
struct VerifyReceiptStatusValueTests {
  static let named: [(VerifyReceiptStatus, Int)] = [
    (.valid, 0), (.unreadableRequest, 21000), (.retired, 21001), (.malformedReceipt, 21002),
    (.notAuthenticated, 21003), (.wrongSharedSecret, 21004), (.temporarilyUnavailable, 21005),
    (.subscriptionExpired, 21006), (.sandboxReceiptSentToProduction, 21007),
    (.productionReceiptSentToSandbox, 21008), (.dataAccessError, 21009), (.accountNotFound, 21010),
  ]

  @Test("G1 every status that Apple lists has its number", arguments: named)
  func numbers(status: VerifyReceiptStatus, number: Int) {
    #expect(status.rawValue == number)
    #expect(VerifyReceiptStatus(rawValue: number) == status)
    #expect(!status.isInternalError)
  }

  @Test("G1 every internal error has a status, and no other number has one")
  func everyNumber() {
    for number in 21100...21199 { #expect(VerifyReceiptStatus(rawValue: number)?.isInternalError == true) }
    for number in [-1, 1, 20999, 21011, 21099, 21200, .min, .max] {
      #expect(VerifyReceiptStatus(rawValue: number) == nil)
    }
  }

  @Test("G1 an answer that only says why is the status alone", arguments: named)
  func statusAlone(status: VerifyReceiptStatus, number: Int) throws {
    for isRetryable in [nil, true, false] {
      let body = VerifyReceiptResponse(status: status, isRetryable: isRetryable).body
      #expect(String(decoding: body, as: UTF8.self) == "{\"status\":\(number)}")
    }
  }

  @Test("G1 an internal error says whether to try again, as a boolean, if it says anything")
  func retryable() throws {
    let status = try #require(VerifyReceiptStatus(rawValue: 21150))
    func text(_ isRetryable: Bool?) throws -> String {
      String(decoding: VerifyReceiptResponse(status: status, isRetryable: isRetryable).body, as: UTF8.self)
    }
    #expect(try text(true) == "{\"is_retryable\":true,\"status\":21150}")
    #expect(try text(false) == "{\"is_retryable\":false,\"status\":21150}")
    #expect(try text(nil) == "{\"status\":21150}")
  }

  @Test("a status is its number in JSON, and another number is refused in words that say what is possible")
  func coding() throws {
    let status = try JSONDecoder().decode([VerifyReceiptStatus].self, from: Data("[21005,21199]".utf8))
    #expect(status.map(\.rawValue) == [21005, 21199])
    #expect(try JSONEncoder().encode(status) == Data("[21005,21199]".utf8))
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([VerifyReceiptStatus].self, from: Data("[20000]".utf8))
    }
    #expect("\(try #require(error))".contains("21100 to 21199"))
  }
}
