import Dispatch
import Foundation
import PrivatePostgreSQL
import PurchaseLedgerPostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Documentation/ledger-events.md, "Order and cursor".
@Suite("The order of events", .timeLimit(.minutes(30)))
struct LedgerEventOrderTests {
  private static let app = TestLedger.app

  private func grant(_ number: Int, to customer: CustomerID, _ ledger: Ledger) async throws {
    try await ledger.grant(
      .credits(TestLedger.coin, 1), to: customer, app: Self.app, key: "\(number)", reason: "r", by: "olga")
  }

  /// Two transactions in one server, of which the first to write is the last to commit.
  @Test("a cursor never passes an event that is not committed yet: PostgreSQL commits numbers out of order")
  func outOfOrder() async throws {
    let fixture = try await TestLedger.open(.postgreSQL)
    let ledger = fixture.ledger
    let (ada, ben) = (try await fixture.identified("ada").customer, try await fixture.identified("ben").customer)
    try await grant(1, to: ada, ledger)
    let before = try await LedgerReplay.events(of: ledger)
    let cursor = try #require(before.last).cursor

    let (hasWritten, mayCommit) = (Gate(), DispatchSemaphore(value: 0))
    let app = Self.app
    let first = Task.detached {
      try await fixture.database.write(locking: [.customer(ada)]) { transaction in
        _ = try transaction.move(
          1, CreditAccount(customer: ada, app: app, unit: TestLedger.coin), .grant, key: "slow", fixture.clock.now)
        // Sends the last statement, too.
        _ = try transaction.row("SELECT 1 AS one")
        Task { await hasWritten.pass() }
        mayCommit.wait()
      }
    }
    await hasWritten.untilCallerWaits()
    try await grant(2, to: ben, ledger)
    // The second one is committed, and has a larger number. It waits for the first.
    let meanwhile = try await ledger.events(after: cursor, limit: 10)
    #expect(meanwhile.events.isEmpty && meanwhile.next == cursor)
    #expect(try await fixture.balance(of: ben) == 1)

    mayCommit.signal()
    try await first.value
    await hasWritten.open()
    let after = try await LedgerReplay.events(of: ledger).dropFirst(before.count)
    #expect(after.map(\.customer) == [ada, ben])
    #expect(try await ledger.events(after: cursor, limit: 1).events.map(\.customer) == [ada])
    try await fixture.database.close()
  }

  @Test("readers beside many shared writes read each event once, in one order", arguments: LedgerEngine.allCases)
  func shared(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    var customers: [CustomerID] = []
    for number in 0..<16 { customers.append(try await fixture.identified("\(number)").customer) }
    for (number, customer) in customers.enumerated() {
      _ = try await fixture.redeem(
        TestLedger.purchase(TestLedger.coins, UInt64(1 + number)), for: Claimant(customer: customer, isIdentified: true)
      )
    }
    let start = try await LedgerReplay.events(of: ledger).count
    let isOver = LockedValue(false)
    let reader = Task {
      var (read, cursor): ([LedgerEvent], LedgerEventCursor?) = ([], nil)
      while !isOver.value {
        let page = try await ledger.events(after: cursor, limit: 7)
        read += page.events
        cursor = page.next
      }
      return (read, cursor)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, customer) in customers.enumerated() {
        group.addTask {
          for number in 0..<5 {
            _ = try await ledger.spend(
              1, of: TestLedger.coin, key: "\(place) \(number)", customer: customer, app: Self.app)
          }
        }
      }
      try await group.waitForAll()
    }
    let all = try await LedgerReplay.events(of: ledger)
    isOver.value = true
    var (read, cursor) = try await reader.value
    while true {
      let page = try await ledger.events(after: cursor, limit: 7)
      read += page.events
      if page.next == cursor { break }
      cursor = page.next
    }
    #expect(all.count == start + 80)
    #expect(read.map(\.cursor) == all.map(\.cursor))
    for customer in customers {
      #expect(read.filter { $0.customer == customer && $0.kind == .creditsMoved }.map(\.sequence) == [2, 3, 4, 5, 6])
    }
    try await fixture.database.close()
  }

  @Test("the events of one app are those of all apps without the others", arguments: LedgerEngine.allCases)
  func app(_ engine: LedgerEngine) async throws {
    let database = try await engine.makeDatabase()
    let other = BundleID("com.example.other")
    let fixture = try await TestLedger.open(on: database)
    let ledger = try await Ledger(
      database: database, anchors: .apple, apps: [Self.app: LedgerSettings(), other: LedgerSettings()],
      clock: fixture.clock)
    let ada = try await fixture.identified("ada").customer
    for number in 0..<20 {
      try await ledger.grant(
        .credits(TestLedger.coin, 1), to: ada, app: number % 5 == 0 ? other : Self.app, key: "\(number)", reason: "r",
        by: "olga")
    }
    let all = try await LedgerReplay.events(of: ledger)
    for limit in [1, 3, 100] {
      let own = try await LedgerReplay.events(of: ledger, limit: limit, app: other)
      #expect(own.count == 4 && own.map(\.cursor) == all.filter { $0.app == other }.map(\.cursor))
    }
    await #expect(throws: LedgerError.unknownApp("none")) { try await ledger.events(limit: 1, app: "none") }
    try await database.close()
  }

  // MARK: Restores

  @Test("a cursor goes on after a backup was restored, also one that is ahead of the backup; other cursors are refused")
  func restored() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    func open(_ name: String) async throws -> TestLedger {
      try await TestLedger.open(on: SQLiteLedgerDatabase(at: folder.url.appending(path: name)))
    }
    let first = try await open("ledger.sqlite")
    let ada = try await first.identified("ada").customer
    for number in 1...3 { try await grant(number, to: ada, first.ledger) }
    let database = try #require(first.database as? SQLiteLedgerDatabase)
    try await database.backUp(to: folder.url.appending(path: "backup"))
    for number in 4...6 { try await grant(number, to: ada, first.ledger) }
    let all = try await LedgerReplay.events(of: first.ledger)
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "backup"), to: folder.url.appending(path: "again"))

    let second = try await open("backup")
    for number in 7...8 { try await grant(number, to: ada, second.ledger) }
    // The two that this reader has not read, and what came after the restore.
    let behind = try await second.ledger.events(after: all[0].cursor, limit: 10).events
    #expect(behind.map(\.sequence) == [2, 3, nil, 4, 5] && behind[2].kind == .incarnationBegan)
    #expect(behind.prefix(2).map(\.cursor) == [all[1].cursor, all[2].cursor])
    // The events 4 to 6 were lost; others have their sequence now.
    let ahead = try await second.ledger.events(after: all[5].cursor, limit: 10)
    #expect(ahead.events.map(\.sequence) == [nil, 4, 5])
    // A ledger that is only opened again has no new generation.
    let same = try await TestLedger.open(on: second.database)
    #expect(try await same.ledger.events(after: ahead.next, limit: 10).events.isEmpty)

    let third = try await open("again")
    try await grant(9, to: ada, third.ledger)
    #expect(try await third.ledger.events(after: all[5].cursor, limit: 10).events.map(\.sequence) == [nil, 4])
    // Of the first restore, which this ledger has never had.
    await #expect(throws: LedgerError.unknownCursor) { try await third.ledger.events(after: ahead.next, limit: 10) }
    // Of a later time than that of this ledger.
    await #expect(throws: LedgerError.unknownCursor) {
      try await second.ledger.events(after: third.lastCursor(), limit: 10)
    }
    let foreign = try await TestLedger.open(.sqlite)
    await #expect(throws: LedgerError.unknownCursor) {
      try await foreign.ledger.events(after: all[0].cursor, limit: 10)
    }
    await #expect(throws: LedgerError.unknownCursor) {
      let empty = try await foreign.ledger.events(limit: 1).next
      return try await first.ledger.events(after: empty, limit: 10)
    }
    for ledger in [first, second, third] { try await ledger.database.close() }
  }

  @Test("a cursor goes on after an operator has begun an incarnation", arguments: LedgerEngine.allCases)
  func incarnation(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada").customer
    try await grant(1, to: ada, fixture.ledger)
    let cursor = try #require(try await LedgerReplay.events(of: fixture.ledger).last).cursor
    try await fixture.ledger.beginIncarnation(by: "olga")
    try await grant(2, to: ada, fixture.ledger)
    let all = try await LedgerReplay.events(of: fixture.ledger)
    #expect(all.map(\.kind) == [.creditsMoved, .incarnationBegan, .creditsMoved])
    #expect(
      try await fixture.ledger.events(after: cursor, limit: 10).events.map(\.cursor) == all.dropFirst().map(\.cursor))
    try await fixture.database.close()
  }

  @Test(
    "a dump that is restored in new tables has its events, and its cursors go on: PostgreSQL's transaction ids begin anew"
  )
  func dump() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    let name = "events_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    func open(_ name: String) async throws -> TestLedger {
      var configuration = try PostgreSQLConfiguration(connectionString: server.connectionString(database: name))
      configuration.acceptsServerWithoutFsync = true
      configuration.statementTimeoutMilliseconds = 0
      return try await TestLedger.open(on: PostgreSQLLedgerDatabase.open(configuration))
    }
    try server.run("CREATE DATABASE \(name)")
    let first = try await open(name)
    let ada = try await first.identified("ada").customer
    for number in 1...3 { try await grant(number, to: ada, first.ledger) }
    // As in a server whose transaction ids are far ahead of those of the server in which the dump is restored.
    try server.run("UPDATE ledger_event SET writer = writer + 1000000000", database: name)
    #expect(try await first.ledger.events(limit: 10).events.isEmpty)
    try server.run("CREATE DATABASE \(name)_copy")
    try server.restoreDump(of: name, into: "\(name)_copy")

    let second = try await open("\(name)_copy")
    try await grant(4, to: ada, second.ledger)
    let restored = try await LedgerReplay.events(of: second.ledger)
    #expect(restored.map(\.sequence) == [1, 2, 3, nil, 4] && restored[3].kind == .incarnationBegan)
    let page = try await second.ledger.events(after: restored[1].cursor, limit: 10)
    #expect(page.events.map(\.sequence) == [3, nil, 4])
    try await second.database.close()
    try await first.database.close()
  }

  @Test("after a failover, events have a later era: a cursor goes on, although the new primary lacks what was read")
  func failover() async throws {
    let server = try PrivatePostgreSQL(isReplicated: true)
    try server.addStandby()
    try server.run("CREATE DATABASE events")
    var configuration = try PostgreSQLConfiguration(
      connectionString: server.failoverConnectionString(database: "events"))
    configuration.acceptsServerWithoutFsync = true
    configuration.statementTimeoutMilliseconds = 0
    let fixture = try await TestLedger.open(on: PostgreSQLLedgerDatabase.open(configuration))
    let ada = try await fixture.identified("ada").customer
    try await grant(1, to: ada, fixture.ledger)
    let isBehind = "SELECT 1 FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()"
    while try server.run(isBehind).isEmpty { await Task.yield() }
    try server.stopStandby()
    for number in 2...5 { try await grant(number, to: ada, fixture.ledger) }
    let before = try await LedgerReplay.events(of: fixture.ledger)
    let cursor = try #require(before.last).cursor

    try server.failOver()
    try await grant(9, to: ada, fixture.ledger)
    let after = try await fixture.ledger.events(after: cursor, limit: 10).events
    // What the standby has received at its stop, at least the first grant, stays before.
    #expect(after.map(\.kind) == [.creditsMoved] && after[0].cursor.place.era > cursor.place.era)
    let all = try await LedgerReplay.events(of: fixture.ledger)
    #expect(all.last?.cursor == after[0].cursor && all.count <= before.count + 1)
    try await fixture.database.close()
  }

  @Test("a malformed cursor is refused, and a limit out of range")
  func malformed() async throws {
    let ledger = try await TestLedger.open(.sqlite).ledger
    for key in [
      [], ["a"], ["0123456789abcdef", "0", "0"], ["0123456789abcdef", "0", "0", "x"],
      ["0123456789abcdef", "0", "0", "-1"],
      ["short", "0", "0", "1"], ["0123456789abcdef", "0", "0", "99999999999999999999"],
    ] {
      #expect(throws: LedgerError.self, "\(key)") { try LedgerEventCursor(key: key) }
    }
    for limit in [0, -1, 1_001] {
      await #expect(throws: LedgerError.invalid("A page has 1 to 1,000 events.")) {
        try await ledger.events(limit: limit)
      }
    }
  }
}

extension TestLedger {
  fileprivate func lastCursor() async throws -> LedgerEventCursor {
    var cursor = try await ledger.events(limit: 1_000).next
    while case let next = try await ledger.events(after: cursor, limit: 1_000).next, next != cursor { cursor = next }
    return cursor
  }
}
