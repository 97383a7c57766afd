import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Revisions of records", .timeLimit(.minutes(30)))
struct RevisionTests {
  private static let scope = Scope(account: TeaShop.customer, bundleID: TeaShop.app, environment: .sandbox)

  private func changes(
    _ shop: TeaShop, after revision: StoreRevision? = nil, limit: Int = 100
  ) async throws -> (transactions: [StoredTransaction], revision: StoreRevision) {
    try await shop.store.database.read {
      try $0.listing.transactions(of: Self.scope, changedAfter: revision, limit: limit)
    }
  }

  @Test("each change that a signed transaction shows takes a larger revision; finishing and moving take none")
  func raised() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    let bought = try await shop.newestTransaction()
    try await shop.store.finish(bought.record.transactionID, for: phone.id)
    #expect(try await shop.newestTransaction().record.revision == bought.record.revision)
    var revisions = [bought.record.revision]
    try await shop.store.refund(bought.record.transactionID)
    revisions.append(try await shop.newestTransaction().record.revision)
    try await shop.store.reverseRefund(of: bought.record.transactionID)
    revisions.append(try await shop.newestTransaction().record.revision)
    try await shop.buy(TeaShop.monthly, as: "club", on: phone)
    let period = try await shop.newestTransaction()
    revisions.append(period.record.revision)
    let id = period.record.transactionID
    let row = { try await shop.store.subscription(id).revision }
    var states = [try await row()]
    try await shop.store.changeSubscription(id, by: [.extend(to: shop.clock.now.adding(seconds: 40 * 86_400))])
    revisions.append(try await shop.newestTransaction().record.revision)
    states.append(try await row())
    try await shop.store.setAutoRenew(ofSubscription: id, isOn: false)
    #expect(try await shop.newestTransaction().record.revision == revisions.last)
    states.append(try await row())
    #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
    #expect(states == states.sorted() && Set(states).count == 3)
  }

  @Test("an upgrade, a family share and its end raise the revisions of the transactions that they change")
  func family() async throws {
    let shop = try await TeaShop.eventful()
    let all = try await shop.store.transactions()
    #expect(Set(all.map(\.record.revision)).count == all.count)
    let subscriptions = try await shop.store.database.read {
      try Int64.fetchAll($0.database, sql: "SELECT revision FROM subscription")
    }
    #expect(Set(all.map(\.record.revision)).isDisjoint(with: subscriptions))
    let shares = all.filter { $0.sharedTransactionID != nil && $0.record.revocationDate != nil }
    #expect(!shares.isEmpty)
    // The last share was made before the purchase was refunded, and revoked after it.
    let last = try #require(shares.max { $0.record.revision < $1.record.revision })
    #expect(
      all.contains {
        $0.record.transactionID == last.sharedTransactionID && $0.record.revision < last.record.revision
      })
  }

  @Test("what changed after a revision is listed once, in the order of the changes, page by page, by index")
  func pages() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for number in 1...5 { try await shop.buy(as: PaymentID("\(number)"), on: phone) }
    let all = try await changes(shop)
    #expect(all.transactions.map(\.sequence) == [1, 2, 3, 4, 5])
    try await shop.store.refund(all.transactions[1].record.transactionID)
    let later = try await changes(shop, after: all.revision)
    #expect(later.transactions.map(\.sequence) == [2] && later.transactions[0].record.revocationDate != nil)
    var (found, revision) = ([Int64](), StoreRevision?.none)
    while true {
      let page = try await changes(shop, after: revision, limit: 2)
      if page.transactions.isEmpty { break }
      (found, revision) = (found + page.transactions.map(\.sequence), page.revision)
    }
    #expect(found == [1, 3, 4, 5, 2])
    let plan = try await shop.store.database.read {
      let position = HistoryPosition(number: 1, isDescending: false, epoch: $0.epoch)
      let sql = RecordListing.changed(of: Self.scope, position, where: "TRUE", limit: 2)
      return try SQLRequest<Row>("EXPLAIN QUERY PLAN \(literal: sql)").fetchAll($0.database).map {
        $0["detail"] as String
      }
    }
    #expect(
      plan.count == 1
        && plan[0].contains(
          "transactionRecordRevised (account=? AND bundleID=? AND environment=? AND revision>?)"),
      "\(plan)")
  }

  @Test("a revision of another epoch is refused with its error; its text is read back")
  func epochs() async throws {
    let shop = try await TeaShop()
    try await shop.buy(as: "one", on: try await shop.phone())
    let revision = try await changes(shop).revision
    #expect(StoreRevision(revision.description) == revision)
    let coded = try JSONEncoder().encode([revision])
    #expect(String(decoding: coded, as: UTF8.self) == "[\"\(revision)\"]")
    #expect(try JSONDecoder().decode([StoreRevision].self, from: coded) == [revision])
    for text in ["", "1", "-1", "1-", "1-2-3", "1--2", "1-02", "1-+2", "1-99999999999999999999"] {
      #expect(StoreRevision(text) == nil, "\(text)")
    }
    let snapshot = try await shop.store.snapshot()
    for change in [{ try await shop.store.reset() }, { try await shop.store.restore(snapshot) }] {
      let epoch = try await change()
      await #expect(throws: StoreRevisionError.otherEpoch(revision, current: epoch)) {
        _ = try await changes(shop, after: revision)
      }
    }
  }

  @Test("an older copy of the folder gives no revision again")
  func olderCopy() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    try shop.store.close()
    let copy = try Data(contentsOf: folder.url.appending(path: "store.sqlite"))
    var revisions: [Int64] = []
    for payment in ["two", "three"] as [PaymentID] {
      let again = try await TeaShop(directory: folder.url, opening: TeaShop.opening.adding(seconds: 60))
      try await again.buy(as: payment, on: phone)
      revisions.append(try await again.newestTransaction().record.revision)
      try again.store.close()
    }
    try copy.write(to: folder.url.appending(path: "store.sqlite"))
    let restored = try await TeaShop(directory: folder.url, opening: TeaShop.opening.adding(seconds: 3_600))
    try await restored.buy(as: "four", on: phone)
    let revision = try await restored.newestTransaction().record.revision
    #expect(revisions.allSatisfy { $0 < revision })
    try restored.store.close()
  }
}

extension RecordListing {
  /// The transactions of a customer in an app that changed after a revision, in the order of their changes, and the
  /// revision of the last one. Each transaction is listed once, with its newest revision.
  ///
  /// - Parameter revision: the one that the page before returned; nil for all transactions.
  /// - Throws: ``StoreRevisionError/otherEpoch(_:current:)``.
  fileprivate func transactions(
    of scope: Scope, changedAfter revision: StoreRevision?, limit: Int
  ) throws -> (transactions: [StoredTransaction], revision: StoreRevision) {
    let number = try revision?.number(in: work.epoch) ?? 0
    let changed = try transactions(
      of: scope, HistoryPosition(number: number, isDescending: false, epoch: work.epoch), limit: limit)
    return (changed, StoreRevision(epoch: work.epoch, number: changed.last?.record.revision ?? number))
  }
}
