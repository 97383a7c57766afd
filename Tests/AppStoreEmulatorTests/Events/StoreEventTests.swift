import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Events of the store", .timeLimit(.minutes(30)))
struct StoreEventTests {
  @Test("every kind of change records its event, once, and with the causes that a notification must tell apart")
  func kinds() async throws {
    let shop = try await TeaShop.eventful()
    let events = try await shop.events()
    let kinds = events.map(\.kind)
    for kind in [
      "transaction.added", "transaction.redelivered", "transaction.refunded", "transaction.refundReversed",
      "transaction.shareRevoked", "transaction.extended", "subscription.subscribed", "subscription.renewed",
      "subscription.recovered", "subscription.gracePeriodBegan", "subscription.autoRenewOff",
      "subscription.autoRenewOn", "subscription.renewalDateExtended", "payment.refused", "payment.approvalAsked",
      "payment.approvalDecided", "purchase.byOperator", "purchase.resumed", "customer.storefrontChanged",
      "installation.settingsChanged", "installation.promotedPurchase",
    ] { #expect(kinds.contains(kind), "\(kind)") }
    #expect(events.allSatisfy { $0.knownKind != nil && !$0.isFilledIn })
    let transactions = try await shop.store.transactions()
    #expect(kinds.filter { $0 == "transaction.added" }.count == transactions.count)
    let steps = try await shop.store.database.read {
      try Int.fetchOne($0.database, sql: "SELECT count(*) FROM subscriptionStep")
    }
    #expect(kinds.filter { $0.hasPrefix("subscription.") }.count == steps)
    let refunds = try events.filter { $0.kind == "transaction.refunded" }.map {
      try StoreEventContent(json: $0.content)
    }
    #expect(refunds.map(\.percentage) == [100_000, 100_000, 50_000, 100_000])
    #expect(refunds.map(\.revocationType) == [.fullRefund, .fullRefund, .proratedRefund, .fullRefund])
    #expect(refunds.allSatisfy { $0.revocationReason == .other })
  }

  @Test("an upgrade, a plan for the next period and an expiration say their products and reasons")
  func steps() async throws {
    let shop = try await TeaShop.lasting()
    let store = shop.store
    let original = try await store.purchase(TeaShop.monthly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      .record.transactionID
    _ = try await store.purchase(TeaShop.yearly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try await store.setAutoRenew(ofSubscription: original, isOn: false)
    try await store.changeClock(.advance(milliseconds: 800 * 86_400_000))
    let events = try await shop.events().filter { $0.kind.hasPrefix("subscription.") }
    #expect(
      events.map(\.kind) == [
        "subscription.subscribed", "subscription.planChosen", "subscription.autoRenewOff", "subscription.expired",
      ])
    let contents = try events.map { try StoreEventContent(json: $0.content) }
    #expect(contents[0] == StoreEventContent())
    #expect(contents[1].productID == TeaShop.monthly && contents[1].renewalProductID == TeaShop.yearly)
    #expect(contents[3].expirationReason == .cancelled)
    #expect(events.allSatisfy { $0.originalTransactionID == original && $0.transactionID == original })
  }

  @Test("a call that fails records no event, and wakes no device")
  func failure() async throws {
    let shop = try await TeaShop()
    try await shop.buy(as: "one", on: try await shop.phone())
    let id = try await shop.newestTransaction().record.transactionID
    try await shop.store.refund(id)
    let (events, wakes) = (try await shop.events().count, shop.store.database.deviceChanges.count)
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.refund(id) }
    #expect(try await shop.events().count == events && shop.store.database.deviceChanges.count == wakes)
  }

  @Test("the timeline from events is that from the records, entry by entry")
  func timelines() async throws {
    let shop = try await TeaShop.eventful()
    let places = try await shop.store.database.read { work in
      try expectEqualTimelines(work.database)
    }
    #expect(places == Set(0...7))
  }

  @Test("a reset removes the events; a restore brings those of the snapshot back, filled in, and they notify nobody")
  func lifecycle() async throws {
    let shop = try await TeaShop.eventful()
    let before = try await shop.events()
    let snapshot = try await shop.store.snapshot()
    try await shop.store.reset()
    #expect(try await shop.events().isEmpty)
    try await shop.store.restore(snapshot)
    let restored = Array(try await shop.events().prefix(before.count))
    #expect(restored.map(\.kind) == before.map(\.kind) && restored.map(\.content) == before.map(\.content))
    #expect(restored.allSatisfy { $0.isFilledIn })
    _ = try await shop.store.database.read { try expectEqualTimelines($0.database) }
    let feed = try await shop.feed()
    try await shop.rebuildFeed()
    #expect(try await shop.feed() == feed)
  }

  @Test("an event of a snapshot that fits no record is refused; unknown kinds and newer versions are kept, and skipped")
  func snapshots() async throws {
    let shop = try await TeaShop.eventful()
    let snapshot = try await shop.store.snapshot()
    for edit in [
      "UPDATE storeEvent SET account = 'ada' WHERE kind = 'transaction.refunded'",
      "UPDATE storeEvent SET recordNumber = 999 WHERE kind = 'transaction.redelivered'",
      "UPDATE storeEvent SET date = date + 1 WHERE kind = 'subscription.recovered'",
      "UPDATE storeEvent SET content = '{\"installationID\":\"x\",\"paymentID\":\"y\"}' WHERE kind = 'payment.refused'",
      "UPDATE storeEvent SET transactionID = NULL, originalTransactionID = NULL WHERE kind = 'transaction.added'",
      "UPDATE storeEvent SET place = 2 WHERE kind = 'transaction.added'",
      "UPDATE storeEvent SET content = 'tea' WHERE kind = 'subscription.subscribed'",
    ] {
      let edited = try TeaShop.edited(snapshot) { try $0.execute(sql: edit) }
      await #expect(throws: AppStoreEmulatorError.self, "\(edit)") { try await shop.store.restore(edited) }
    }
    let foreign = try TeaShop.edited(snapshot) {
      try $0.execute(
        sql: """
          UPDATE storeEvent SET kind = 'transaction.burned', content = 'ashes' WHERE kind = 'transaction.refunded';
          UPDATE storeEvent SET version = 2, content = '[]' WHERE kind = 'payment.refused'
          """)
    }
    let shown = try await shop.store.timeline(ofCustomer: TeaShop.customer, .sandbox, limit: 1000).events.count
    try await shop.store.restore(foreign)
    #expect(try await shop.events().filter { $0.knownKind == nil }.count > 4)
    let skipped = try await shop.events().filter {
      $0.knownKind == nil && $0.place != nil && $0.account == TeaShop.customer
        && $0.place != TimelinePlace.revocation.rawValue
    }.count
    #expect(
      try await shop.store.timeline(ofCustomer: TeaShop.customer, .sandbox, limit: 1000).events.count
        == shown - skipped)
  }

  @Test("C6 a page of a customer's timeline reads the index in its order; the events of a transaction have an index")
  func plans() throws {
    let queue = try DatabaseQueue()
    try StoreSchema.migrator.migrate(queue)
    let plan = try queue.read {
      try Row.fetchAll(
        $0, sql: "EXPLAIN QUERY PLAN \(CustomerEventKey.newestSQL)", arguments: ["tom", "Sandbox", 10]
      ).map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.contains("storeEventOfCustomer (account=? AND environment=?)") }, "\(plan)")
    #expect(plan.contains { $0.contains("storeEventOfTransaction (transactionID=?") }, "\(plan)")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }
}

/// Expects that the timelines of all customers are those that the version before events made from the records.
///
/// - Returns: the places of all entries.
@discardableResult
func expectEqualTimelines(
  _ database: Database, _ location: SourceLocation = #_sourceLocation
) throws -> Set<Int> {
  var places: Set<Int> = []
  for (account, environment) in try EarlierTimeline.customers(database) {
    let keys = try CustomerEventKey.newest(100_000, of: account, environment, in: database)
    let earlier = try EarlierTimeline.entries(of: account, environment, in: database)
    #expect(EarlierTimeline.entries(keys) == earlier, "\(account)", sourceLocation: location)
    places.formUnion(earlier.map(\.place))
  }
  return places
}
