import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The faults of verifyReceipt", .timeLimit(.minutes(30)))
struct ReceiptFaultTests {
  static let statuses: [VerifyReceiptStatus] = (21000...21199).compactMap(VerifyReceiptStatus.init(rawValue:))

  @Test("C2 receiptStatus: every status of verifyReceipt can be had, for a receipt that is good", arguments: statuses)
  func status(status: VerifyReceiptStatus) async throws {
    let shop = try await TeaShop()
    for isRetryable in status.isInternalError ? [nil, true, false] : [nil] {
      let id = try shop.store.set(Fault(ReceiptStatusFault(status, isRetryable: isRetryable), count: 1)).id
      let answer = try await shop.store.verifyReceipt(Data("{}".utf8), at: .production)
      let rest = isRetryable.map { #""is_retryable":\#($0),"# } ?? ""
      let environment = [21003, 21004].contains(status.rawValue) ? #""environment":"Production","# : ""
      #expect(String(decoding: answer.body, as: UTF8.self) == #"{\#(environment)\#(rest)"status":\#(status.rawValue)}"#)
      try shop.store.removeFault(id)
    }
    #expect(try await shop.store.verifyReceipt(Data("{}".utf8), at: .production).status == .malformedReceipt)
  }

  @Test("C2 receiptServerError: an HTTP status and nothing else")
  func serverError() async throws {
    let shop = try await TeaShop()
    try shop.store.set(Fault(ReceiptServerErrorFault(httpStatus: 502), scope: FaultScope(environment: .production)))
    #expect(
      try await end { _ = try await shop.store.verifyReceipt(Data(), at: .production) } == .serverError(502))
    #expect(try await shop.store.verifyReceipt(Data(), at: .sandbox).status == .unreadableRequest)
    #expect(shop.store.requests().map(\.outcome) == [.serverError(502), .status(21000)])
  }

  private func request(_ receipt: Data) throws -> Data {
    try JSONSerialization.data(withJSONObject: ["receipt-data": receipt.base64EncodedString()])
  }

  @Test("a fault may be for one app's receipts, of either generation; the journal says whose receipt was read")
  func apps() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let batch = try await shop.buy(on: phone)
    shop.store.clearRequests()
    let receipts = [try #require(batch.receipt), try #require(batch.deliveries.first?.transactionReceipt)]
    for receipt in receipts {
      let body = try request(receipt)
      #expect(try await shop.store.verifyReceipt(body, at: .sandbox).status == .valid)
      try shop.store.set(Fault(ReceiptStatusFault(.dataAccessError), scope: FaultScope(bundleID: "org.example.other")))
      #expect(try await shop.store.verifyReceipt(body, at: .sandbox).status == .valid)
      try shop.store.set(Fault(ReceiptStatusFault(.dataAccessError), scope: FaultScope(bundleID: TeaShop.app)))
      #expect(try await shop.store.verifyReceipt(body, at: .sandbox).status == .dataAccessError)
      shop.store.removeFaults()
    }
    #expect(shop.store.requests().map(\.metadata.bundleID) == Array(repeating: TeaShop.app, count: 6))
    // Data that is not a receipt names no app.
    #expect(try await shop.store.verifyReceipt(Data("{}".utf8), at: .sandbox).status == .malformedReceipt)
    #expect(shop.store.requests().last?.metadata.bundleID == nil)
  }

  @Test("verifyReceipt is held, silent and lost like any call")
  func connections() async throws {
    let shop = try await TeaShop()
    try shop.store.set(Fault(NoAnswerFault(), id: "quiet", scope: FaultScope(calls: [.verifyReceipt])))
    async let verified = end { _ = try await shop.store.verifyReceipt(Data(), at: .sandbox) }
    try await shop.store.untilFault("quiet")
    try shop.store.removeFault("quiet")
    #expect(try await verified == .noAnswer)
    try shop.store.set(Fault(AnswerLostFault(), scope: FaultScope(calls: [.verifyReceipt])))
    #expect(try await end { _ = try await shop.store.verifyReceipt(Data(), at: .sandbox) } == .noAnswer)
  }
}
