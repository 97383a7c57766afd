import Foundation
import GRDB
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An event of a kind that no list has: a customer has tasted what they bought. It has a place in the timeline and a
/// change for a device, so that only its kind keeps the store's own projections from it.
private struct Tasting {
  static let kind = "transaction.tasted"
  let stored: StoredTransaction

  /// Records it in the commit of `work`, as a later version of the store would.
  func record(_ work: StoreUnitOfWork, version: Int = 1, isFilledIn: Bool = false) throws {
    let record = stored.record
    let audience = DeviceFeed.Audience(
      first: 0, installationIDs: ["phone"], changes: [StoreChange(.transactionsWaiting)])
    try work.database.execute(
      sql: """
        INSERT INTO storeEvent
          (environment, account, bundleID, kind, version, transactionID, originalTransactionID, place, recordNumber,
          date, audience, isFilledIn)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
        """,
      arguments: [
        record.environment.rawValue, stored.account.rawValue, record.bundleID.rawValue, Self.kind, version,
        record.transactionID.rawValue, record.originalTransactionID.rawValue, TimelinePlace.transaction.rawValue,
        work.now.millisecondsSince1970, audience.json(), isFilledIn,
      ])
  }
}

/// A projection that no list has: how many products each customer has bought and tasted.
private struct TeaCounts: EventProjection {
  let work: StoreUnitOfWork

  /// What a migration does: the table, and the row with the cursor.
  static func addTable(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE teaCount (account TEXT PRIMARY KEY, bought INTEGER NOT NULL, tasted INTEGER NOT NULL);
        INSERT INTO projection (name, eventCursor, start) VALUES ('teaCounts', 0, 0)
        """)
  }

  func append(_ events: [RecordedEvent]) throws { try Self.catchUp(work.database) }

  /// Counts the events after the cursor, and moves the cursor to the last one. The database moves it only to the last event that this
  /// version knows.
  static func catchUp(_ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO teaCount (account, bought, tasted)
        SELECT account, sum(kind = 'transaction.added'), sum(kind = '\(Tasting.kind)') FROM storeEvent
        WHERE sequence > (SELECT eventCursor FROM projection WHERE name = 'teaCounts') AND version = 1 AND NOT isFilledIn
          AND kind IN ('transaction.added', '\(Tasting.kind)')
        GROUP BY account
        ON CONFLICT (account) DO UPDATE SET bought = bought + excluded.bought, tasted = tasted + excluded.tasted;
        UPDATE projection SET eventCursor = (SELECT max(sequence) FROM storeEvent) WHERE name = 'teaCounts'
        """)
  }

  static func rows(_ database: Database) throws -> [String] {
    try Row.fetchAll(database, sql: "SELECT * FROM teaCount ORDER BY account").map {
      "\($0["account"] as String) \($0["bought"] as Int) \($0["tasted"] as Int)"
    }
  }
}

/// A store with the invented projection beside its own. `InventedEndpointTests` does the same for an endpoint and a fault.
private struct TastingRoom {
  let store: EmulatedAppStore

  init() async throws {
    store = try EmulatedAppStore(
      .inMemory(wallClock: ManualClock(TeaShop.opening), seed: 7),
      projections: EmulatedAppStore.projections + [TeaCounts.self])
    try await store.serve(TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog())])
    try store.prepareKeysForCharge()
    try await store.database.write { try TeaCounts.addTable($0.database) }
  }

  /// Sells a tea and records that it was tasted, in one commit.
  ///
  /// - Parameter fails: whether the rule fails at its end.
  func sellAndTaste(to account: AccountName = TeaShop.customer, times: Int = 1, fails: Bool = false) async throws {
    struct Spilt: Error {}
    let request = OperatorPurchaseRow.Request(
      bundleID: TeaShop.app, environment: .sandbox, account: account, productID: TeaShop.oolong, quantity: 1,
      applicationUsername: nil, installationID: nil, offer: nil)
    try await store.database.write { work in
      let sold = try work.operatorPurchases.purchase(request, as: nil)
      for _ in 0..<times { try Tasting(stored: sold).record(work) }
      if fails { throw Spilt() }
    }
  }

  func counts() async throws -> [String] { try await store.database.read { try TeaCounts.rows($0.database) } }

  func cursor() async throws -> Int64? {
    try await store.database.read {
      try Int64.fetchOne($0.database, sql: "SELECT eventCursor FROM projection WHERE name = 'teaCounts'")
    }
  }

  func lastEvent() async throws -> Int64 {
    try await store.database.read { try Int64.fetchOne($0.database, sql: "SELECT max(sequence) FROM storeEvent") ?? 0 }
  }
}

@Suite("An invented event, and a projection of it", .timeLimit(.minutes(30)))
struct InventedEventTests {
  @Test("the projection's rows are in the commit of the events, with the cursor; a commit that fails has neither")
  func commit() async throws {
    let room = try await TastingRoom()
    try await room.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    try await room.sellAndTaste(times: 2)
    try await room.sellAndTaste(to: "ada")
    try await room.sellAndTaste(to: "ada", times: 0)
    let counts = ["ada 2 1", "\(TeaShop.customer) 1 2"]
    #expect(try await room.counts() == counts)
    let last = try await room.lastEvent()
    #expect(try await room.cursor() == last)
    await #expect(throws: (any Error).self) { try await room.sellAndTaste(fails: true) }
    #expect(try await room.counts() == counts)
    #expect(try await room.cursor() == last)
    #expect(try await room.lastEvent() == last)
    // A later commit counts each event once, also those that were recorded without a known one.
    try await room.store.database.write { work in
      let sold = try #require(try work.listing.transactions(RecordFilter(account: "ada")).first)
      try Tasting(stored: sold).record(work)
    }
    try await room.sellAndTaste(times: 0)
    #expect(try await room.counts() == ["ada 2 2", "\(TeaShop.customer) 2 2"])
  }

  @Test("made again from the first event, the rows are the same; newer versions and filled-in events are skipped")
  func rebuilt() async throws {
    let room = try await TastingRoom()
    try await room.sellAndTaste(times: 3)
    try await room.store.database.write { work in
      let sold = try #require(try work.listing.transactions(RecordFilter()).first)
      try Tasting(stored: sold).record(work, version: 2)
      try Tasting(stored: sold).record(work, isFilledIn: true)
    }
    try await room.sellAndTaste()
    let counts = try await room.counts()
    #expect(counts == ["\(TeaShop.customer) 2 4"])
    try await room.store.database.write { work in
      try work.database.execute(
        sql: "DELETE FROM teaCount; UPDATE projection SET eventCursor = 0 WHERE name = 'teaCounts'")
      try TeaCounts.catchUp(work.database)
    }
    #expect(try await room.counts() == counts)
  }

  @Test("the other projections skip the event: no device is notified, no server, and no timeline shows it")
  func skipped() async throws {
    let (room, other) = (try await TastingRoom(), try await TastingRoom())
    try await room.sellAndTaste(times: 4)
    try await other.sellAndTaste(times: 0)
    #expect(try await room.lastEvent() == other.lastEvent() + 4)
    func shown(_ room: TastingRoom) async throws -> [String] {
      let events = try await room.store.timeline(ofCustomer: TeaShop.customer, .sandbox, limit: 1000).events
      let tables = try await room.store.database.read { work in
        try ["deviceChange", "notification"].map { table in
          "\(table) \(try Int.fetchOne(work.database, sql: "SELECT count(*) FROM \(table)") ?? 0)"
        }
      }
      return events.map { "\($0)" } + tables
    }
    #expect(try await shown(room) == shown(other))
    // A rebuild of the devices' feed does not stumble either.
    try await room.store.database.write { work in
      try work.database.execute(sql: "UPDATE projection SET eventCursor = 0 WHERE name = 'deviceFeed'")
      try DeviceFeed(database: work.database).catchUp()
    }
    #expect(try await shown(room).suffix(2) == ["deviceChange 0", "notification 0"])
  }
}
