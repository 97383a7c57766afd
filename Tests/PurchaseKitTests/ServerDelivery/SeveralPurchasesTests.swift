import Foundation
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("Several purchases of one product", .timeLimit(.minutes(30)))
struct SeveralPurchasesTests {
  private let book = ReaderStore.book

  @Test("G6 a refunded purchase ends only its own entitlement, not another purchase of the same product")
  func oneRefunded() async throws {
    let server = ScriptedServer()
    server.publish(book, ("text", ScriptedServer.data(5000)))
    let shop = try ReaderShop(try await ReaderStore().store) { keys, _ in server.client(keys: keys) }
    let first = try await shop.buy(book).originalTransactionIdentifier
    await shop.untilQueueIsEmpty()
    // The receipt cannot be read, so it does not show which purchases are valid.
    try Data("damaged".utf8).write(to: shop.device.receiptURL)
    let second = PaidPurchase(
      transactionIdentifier: "999", productIdentifier: book, quantity: 1, date: .distantFuture, isRestored: true)
    try await shop.delivery.deliver(second)
    try shop.library.remove(book)
    server.refuse(book, "refunded")
    await #expect(throws: RefusedPurchase.self) { try await shop.delivery.fetch(book) }
    #expect(try shop.entitlements.isEntitled(to: book))
    #expect(
      shop.entitlements.entitlements.filter { $0.revocationDate != nil }.map(\.originalTransactionIdentifier)
        == ["999"])
    #expect(try shop.library.records.redemption(of: book)?.transactionIdentifier == first)
    server.refuse(book, nil)
    try await shop.delivery.fetch(book)
    #expect(try shop.downloads.state(of: book) == .current(version: 1))
    // When the last valid purchase is refunded, the product ends.
    try shop.library.remove(book)
    server.refuse(book, "refunded")
    await #expect(throws: RefusedPurchase.self) { try await shop.delivery.fetch(book) }
    #expect(try !shop.entitlements.isEntitled(to: book))
    #expect(try shop.downloads.state(of: book) == .ended(reason: "The server says refunded."))
    try await shop.close()
  }
}
