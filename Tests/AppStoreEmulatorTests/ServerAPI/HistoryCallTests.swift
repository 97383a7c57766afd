import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Histories in the Server API", .timeLimit(.minutes(30)))
struct HistoryCallTests {
  @Test(
    "pages by revision while changes go on: each state is listed once, and none is missed; the last revision finds what comes later"
  )
  func pages() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    let first = try await shop.order(TeaShop.oolong).record.transactionID
    var bought = [first]
    for _ in 0..<49 { bought.append(try await shop.order(TeaShop.oolong).record.transactionID) }
    var (query, pages) = (TransactionHistoryQuery(), 0)
    var listed: [TransactionID: Set<Bool>] = [:]
    while true {
      let page = try await server.send(GetTransactionHistory(anyTransactionId: first, query: query))
      for signed in try await server.transactions(page.signedTransactions) {
        #expect(listed[signed.transactionID, default: []].insert(signed.revocationDate != nil).inserted)
      }
      (query.revision, pages) = (page.revision, pages + 1)
      guard page.hasMore else { break }
      // One that was listed, and one that was not.
      if pages == 1 {
        for id in [bought[3], bought[30]] { try await shop.store.refund(id) }
        bought.append(try await shop.order(TeaShop.sencha).record.transactionID)
      }
    }
    #expect(pages == 3)
    #expect(Set(listed.keys) == Set(bought))
    #expect(listed[bought[3]] == [false, true] && listed[bought[30]] == [true])
    let none = try await server.send(GetTransactionHistory(anyTransactionId: first, query: query))
    #expect(none.signedTransactions.isEmpty && none.revision == query.revision)
    try await shop.store.refund(bought[7])
    let later = try await server.send(GetTransactionHistory(anyTransactionId: first, query: query))
    #expect(try await server.transactions(later.signedTransactions).map(\.transactionID) == [bought[7]])
  }

  @Test("descending is the reverse; a revision of another sort, of before a reset, or of no store is 4000005")
  func revisions() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop)
    for _ in 0..<25 { _ = try await shop.order(TeaShop.oolong) }
    let id = try await shop.newestTransaction().record.transactionID
    let ascending = try await server.history(of: id).map(\.transactionID)
    var query = TransactionHistoryQuery()
    query.sort = .descending
    #expect(try await server.history(of: id, query).map(\.transactionID) == ascending.reversed())
    query.revision = try await server.send(GetTransactionHistory(anyTransactionId: id, query: query)).revision
    query.sort = nil
    #expect(try await server.code(GetTransactionHistory(anyTransactionId: id, query: query)) == .invalidRequestRevision)
    let revision = try await server.send(GetTransactionHistory(anyTransactionId: id)).revision
    for token in ["x", "", "1-2-3-4", revision + "-d"] {
      query.revision = token
      #expect(
        try await server.code(GetTransactionHistory(anyTransactionId: id, query: query)) == .invalidRequestRevision)
    }
    try await shop.store.reset()
    let again = try await shop.order(TeaShop.oolong).record.transactionID
    query.revision = revision
    let refusal = try await server.refusal(GetTransactionHistory(anyTransactionId: again, query: query))
    #expect(refusal?.error.code == .invalidRequestRevision && refusal?.reason.contains("reset") == true)
    #expect(try await server.code(GetTransactionHistory(anyTransactionId: id)) == .transactionIdNotFound)
  }

  @Test(
    "each filter admits what its value says; version 1 leaves finished consumables out; production has the app's number"
  )
  func filters() async throws {
    let shop = try await TeaShop.lasting()
    let server = try await TeaServer(shop)
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.oolong, as: "a", on: phone)
    let oolong = try await shop.newestTransaction().record.transactionID
    try await shop.store.finish(oolong, for: phone.id)
    let sencha = try await shop.order(TeaShop.sencha).record.transactionID
    let teapot = try await shop.order(TeaShop.teapot).record.transactionID
    let season = try await shop.order(TeaShop.season).record.transactionID
    try await shop.advance(days: 1)
    let club = try await shop.order(TeaShop.monthly).record.transactionID
    try await shop.store.refund(teapot)
    func listed(_ change: (inout TransactionHistoryQuery) -> Void) async throws -> Set<TransactionID> {
      var query = TransactionHistoryQuery()
      change(&query)
      return Set(try await server.history(of: oolong, query).map(\.transactionID))
    }
    #expect(try await listed { _ in } == [oolong, sencha, teapot, season, club])
    #expect(try await listed { $0.productIds = [TeaShop.oolong, TeaShop.season] } == [oolong, season])
    #expect(try await listed { $0.productTypes = [.consumable, .autoRenewable] } == [oolong, sencha, club])
    #expect(try await listed { $0.productTypes = [.nonRenewable, .nonConsumable] } == [season, teapot])
    #expect(try await listed { $0.subscriptionGroupIdentifiers = ["club"] } == [club])
    #expect(try await listed { $0.revoked = true } == [teapot])
    #expect(try await listed { $0.revoked = false } == [oolong, sencha, season, club])
    #expect(try await listed { $0.excludeRevoked = true } == [oolong, sencha, season, club])
    #expect(try await listed { $0.inAppOwnershipType = .familyShared } == [])
    let start = TeaShop.opening.adding(seconds: 3_600)
    #expect(try await listed { $0.startDate = start } == [club])
    #expect(try await listed { $0.endDate = start } == [oolong, sencha, teapot, season])
    let old = try await server.send(GetTransactionHistoryV1(anyTransactionId: oolong))
    #expect(
      Set(try await server.transactions(old.signedTransactions).map(\.transactionID)) == [sencha, teapot, season, club])
    #expect(old.appAppleId == nil && old.environment == .sandbox)
    let production = try await TeaServer(shop, in: .production)
    let live = try await shop.order(TeaShop.oolong, in: .production).record.transactionID
    #expect(
      try await production.send(GetTransactionHistory(anyTransactionId: live)).appAppleId
        == shop.store.app(TeaShop.app).appAppleID)
  }

  @Test(
    "refunds are listed by their dates, in pages that miss none of the same second; version 1 has the first fifty")
  func refunds() async throws {
    let shop = try await TeaShop()
    let server = try await TeaServer(shop)
    var bought: [TransactionID] = []
    for _ in 0..<60 { bought.append(try await shop.order(TeaShop.oolong).record.transactionID) }
    #expect(try await server.send(GetRefundHistory(anyTransactionId: bought[0])).signedTransactions.isEmpty)
    // All of one second, in an order that is not that of their numbers.
    for id in bought[20..<40] { try await shop.store.refund(id) }
    let first = try await server.send(GetRefundHistory(anyTransactionId: bought[0]))
    #expect(first.signedTransactions.count == 20 && !first.hasMore)
    for id in bought[0..<20].reversed() { try await shop.store.refund(id, percentage: 50_000) }
    for id in bought[40..<55] { try await shop.store.refund(id) }
    let second = try await server.send(GetRefundHistory(anyTransactionId: bought[0], revision: first.revision))
    #expect(second.hasMore)
    let third = try await server.send(GetRefundHistory(anyTransactionId: bought[0], revision: second.revision))
    let listed = try await server.transactions(
      first.signedTransactions + second.signedTransactions + third.signedTransactions)
    let (earlier, reversed, later) = (Array(bought[20..<40]), Array(bought[0..<20].reversed()), Array(bought[40..<55]))
    let expected: [TransactionID] = earlier + reversed + later
    let ids = listed.map(\.transactionID)
    #expect(ids == expected)
    let old = try await server.send(GetRefundHistoryV1(originalTransactionId: bought[0]))
    let oldIDs = try await server.transactions(old.signedTransactions).map(\.transactionID)
    #expect(oldIDs == Array(expected.prefix(50)))
    #expect(
      try await server.code(GetRefundHistory(anyTransactionId: bought[0], revision: "1-2")) == .invalidRequestRevision)
  }
}
