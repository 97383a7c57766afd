import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Documentation/store-events.md, "Revisions".
@Suite("Changes of a customer's transactions", .timeLimit(.minutes(30)))
struct ChangedTransactionsTests {
  private func ids(_ page: TransactionChanges) throws -> [TransactionID] {
    try page.transactions.map { try UnverifiedJWS($0.signedTransaction).transaction().transactionID }
  }

  private func numbers(_ shop: TeaShop) async throws -> Int64? {
    try await shop.store.database.read { try Int64.fetchOne($0.database, sql: "SELECT nextRevision FROM store") }
  }

  @Test("B4 a finish comes to all devices as a change, and raises no revision of the record")
  func finished() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    for number in 1...3 { try await shop.buy(as: PaymentID("\(number)"), on: phone) }
    let first = try await shop.store.transactions(after: nil, for: tablet.id)
    #expect(first.account == TeaShop.customer && !first.hasMore && first.transactions.allSatisfy { !$0.isFinished })
    let id = try ids(first)[1]
    try await shop.store.finish(id, for: phone.id)
    for device in [phone, tablet] {
      let next = try await shop.store.transactions(after: first.revision, for: device.id)
      #expect(try ids(next) == [id] && next.revision.number > first.revision.number)
      #expect(next.transactions.map(\.isFinished) == [true])
      #expect(next.transactions.map(\.revision) == [first.transactions[1].revision])
      // Finishing it again is no change, and takes no number.
      let last = try await numbers(shop)
      try await shop.store.finish(id, for: phone.id)
      #expect(try await numbers(shop) == last)
      let nothing = try await shop.store.transactions(after: next.revision, for: device.id)
      #expect(nothing.transactions.isEmpty && nothing.revision == next.revision && !nothing.hasMore)
    }
  }

  @Test("pages are in the order of the changes; each transaction is on one page, by index")
  func pages() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for number in 1...5 { try await shop.buy(as: PaymentID("\(number)"), on: phone) }
    let bought = try ids(try await shop.store.transactions(after: nil, for: phone.id))
    try await shop.store.finish(bought[2], for: phone.id)
    try await shop.store.refund(bought[0])
    var (found, page): ([TransactionID], TransactionChanges?) = ([], nil)
    repeat {
      page = try await shop.store.transactions(after: page?.revision, limit: 2, for: phone.id)
      found += try ids(try #require(page))
      #expect(page?.transactions.count ?? 0 <= 2)
    } while page?.hasMore == true
    #expect(found == [bought[1], bought[3], bought[4], bought[2], bought[0]])
    let plan = try await shop.store.database.read {
      try Row.fetchAll(
        $0.database, sql: "EXPLAIN QUERY PLAN \(Deliveries.changedOrFinishedSQL)",
        arguments: Scope(account: TeaShop.customer, bundleID: TeaShop.app, environment: .sandbox).arguments + [1, 2]
      ).map { $0["detail"] as String }
    }
    #expect(
      plan.count == 1
        && plan[0].contains("transactionRecordChanged (account=? AND bundleID=? AND environment=? AND <expr>>?)"),
      "\(plan)")
  }

  @Test("a page is refused without a customer, after another epoch's revision, and with no place for a transaction")
  func refused() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    let revision = try await shop.store.transactions(after: nil, for: phone.id).revision
    #expect(
      try await refusal { _ = try await shop.store.transactions(after: nil, limit: 0, for: phone.id) }
        == .malformedRequest)
    try await shop.store.signOut(on: phone.id)
    #expect(
      try await refusal { _ = try await shop.store.transactions(after: revision, for: phone.id) } == .signInRequired)
    try await shop.store.restore(try await shop.store.snapshot())
    let again = try await shop.phone("again")
    #expect(
      try await refusal { _ = try await shop.store.transactions(after: revision, for: again.id) } == .epochEnded)
    #expect(try await shop.store.transactions(after: nil, for: again.id).transactions.count == 1)
  }
}
