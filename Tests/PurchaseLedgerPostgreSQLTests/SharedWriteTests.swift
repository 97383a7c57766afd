import Foundation
import PrivatePostgreSQL
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: writes that share a transaction", .timeLimit(.minutes(30)))
struct SharedWriteTests {
  private struct NotEnough: Error, Equatable {}

  @Test("writes that wait share one transaction, and each gets its own result")
  func together() async throws {
    try await LedgerFixture.with { fixture in
      let results = try await Self.shared(fixture, 5) { try Self.insert($0, $1) }
      #expect(try Set(results.map { try $0.get() }).count == 1)
      #expect(try fixture.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM note") == "1,2,3,4,5")
    }
  }

  @Test("at most 32 writes share a transaction; more wait for the next one")
  func most() async throws {
    try await LedgerFixture.with { fixture in
      let results = try await Self.shared(fixture, 40) { try Self.insert($0, $1) }
      let transactions = try results.map { try $0.get() }
      #expect(transactions.prefix(32).allSatisfy { $0 == transactions[0] })
      #expect(transactions.dropFirst(32).allSatisfy { $0 != transactions[0] })
    }
  }

  @Test("writes that need a common lock do not share a transaction, and run in their order")
  func disjoint() async throws {
    try await LedgerFixture.with { fixture in
      // The first and the second write need the same lock.
      let results = try await Self.shared(fixture, 3, lock: { Self.lock(max($0, 2)) }) { id, transaction in
        let before = try transaction.row("SELECT count(*) AS count FROM note WHERE id = 1")?.integer("count")
        return "\(try Self.insert(id, transaction)) \(before ?? 0)"
      }
      let transactions = try results.map { try $0.get() }
      #expect(transactions[0] == transactions[2])
      #expect(transactions[0].hasSuffix(" 0"))
      #expect(transactions[1].hasSuffix(" 1"))
    }
  }

  @Test("writes about one purchase do not share a transaction, and run in their order")
  func apart() async throws {
    try await LedgerFixture.with { fixture in
      let purchase = PurchaseKey(app: BundleID("com.example.app"), environment: .production, id: TransactionID(1))
      let results = try await Self.shared(fixture, 3, about: { $0 < 3 ? [purchase] : [] }) { id, transaction in
        let before = try transaction.row("SELECT count(*) AS count FROM note WHERE id = 1")?.integer("count")
        return "\(try Self.insert(id, transaction)) \(before ?? 0)"
      }
      let transactions = try results.map { try $0.get() }
      #expect(transactions[0] == transactions[2])
      #expect(transactions[1].hasSuffix(" 1"))
    }
  }

  @Test("a write whose task is cancelled while it waits does not run; closing refuses those that wait")
  func cancelledAndClosed() async throws {
    try await LedgerFixture.with { fixture in
      let ledger = fixture.ledger
      let (begun, mayEnd) = (Event(), Event())
      // Holds the only lock, so that the others wait.
      let holder = Task {
        try await ledger.writeShared(locking: [Self.lock(1)], about: []) { _ in
          begun.happen()
          mayEnd.wait()
        }
      }
      await begun.happened()
      let waiting = (1...2).map { id in
        Task { try await ledger.writeShared(locking: [Self.lock(1)], about: []) { try Self.insert(id, $0) } }
      }
      try await until { ledger.sharedWrites.waiting == 2 }
      waiting[0].cancel()
      await #expect(throws: CancellationError.self) { try await waiting[0].value }
      #expect(ledger.sharedWrites.waiting == 1)
      let closing = Task { try await ledger.close() }
      await #expect(throws: LedgerDatabaseError.closed) { try await waiting[1].value }
      mayEnd.happen()
      try await holder.value
      try await closing.value
      await #expect(throws: LedgerDatabaseError.closed) {
        try await ledger.writeShared(locking: [], about: []) { _ in }
      }
      #expect(try fixture.value("SELECT count(*) FROM note") == "0")
    }
  }

  @Test("a write does not keep others from running while it waits for a row of another transaction")
  func busyRow() async throws {
    try await LedgerFixture.with { fixture in
      let other = try fixture.beside()
      try other.run("INSERT INTO note (id) VALUES (1)")
      try other.run("BEGIN")
      try other.run("UPDATE note SET number = 1")
      let ledger = fixture.ledger
      let held = (1...2).map { id in
        Task {
          try await ledger.writeShared(locking: [Self.lock(id)], about: []) {
            _ = try $0.row("SELECT 1 AS one")
            try $0.execute("UPDATE note SET number = $1", id)
          }
        }
      }
      // The two wait for the row, and then in transactions of their own.
      try await until { try fixture.value(Self.waitingForRows) == "2" && !ledger.sharedWrites.isFull }
      _ = try await ledger.writeShared(locking: [Self.lock(5)], about: []) { try Self.insert(5, $0) }
      try other.run("COMMIT")
      for task in held { try await task.value }
      #expect(try fixture.value("SELECT count(*) FROM note") == "2")
    }
  }

  private static let waitingForRows = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    """

  @Test("a write that throws after a change, or whose statement fails, fails alone", arguments: [false, true])
  func failing(byStatement: Bool) async throws {
    try await LedgerFixture.with { fixture in
      try fixture.beside().run("INSERT INTO note (id) VALUES (3)")
      let runs = Log<Int>()
      let results = try await Self.shared(fixture, 5) { id, transaction in
        runs.append(id)
        guard id == 3, !byStatement else { return try Self.insert(id, transaction) }
        _ = try Self.insert(30, transaction)
        throw NotEnough()
      }
      for (place, result) in results.enumerated() where place != 2 { _ = try result.get() }
      if byStatement {
        #expect(throws: LedgerDatabaseError.self) { try results[2].get() }
      } else {
        #expect(throws: NotEnough()) { try results[2].get() }
      }
      #expect(try fixture.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM note") == "1,2,3,4,5")
      #expect(runs.entries.sorted() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
      #expect(fixture.retried.entries.isEmpty)
    }
  }

  @Test("a failed statement that a write ignores is not reported as done, also if it runs with the commit")
  func swallowed() async throws {
    try await LedgerFixture.with { fixture in
      let results = try await Self.shared(fixture, 3) { id, transaction in
        switch id {
        case 1: _ = try? transaction.execute("INSERT INTO nowhere (id) VALUES (1)")
        case 2:
          try transaction.executeLater("INSERT INTO note (id) VALUES (2)")
          try transaction.executeLater("INSERT INTO note (id) VALUES (2)")
        default: return try Self.insert(id, transaction)
        }
        return "done"
      }
      #expect(throws: LedgerDatabaseError.self) { try results[0].get() }
      #expect(throws: LedgerDatabaseError.self) { try results[1].get() }
      _ = try results[2].get()
      #expect(try fixture.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM note") == "3")
    }
  }

  @Test("a statement that cannot be sent, and is ignored, ends the write")
  func refusedStatement() async throws {
    try await LedgerFixture.with { fixture in
      let results = try await Self.shared(fixture, 2) { id, transaction in
        guard id == 1 else { return try Self.insert(id, transaction) }
        try? transaction.executeLater("INSERT INTO note (text) VALUES ($1)", "no\0text")
        return "done"
      }
      #expect(throws: LedgerDatabaseError.self) { try results[0].get() }
      _ = try results[1].get()
    }
  }

  @Test("a write with two purchases is not overtaken by later writes with one of them")
  func fair() async throws {
    try await LedgerFixture.with { fixture in
      let ledger = fixture.ledger
      func key(_ id: UInt64) -> PurchaseKey {
        PurchaseKey(app: BundleID("com.example.app"), environment: .production, id: TransactionID(id))
      }
      let (begun, mayEnd) = (Event(), Event())
      let holder = Task {
        try await ledger.writeShared(locking: [], about: [key(1)]) { _ in
          begun.happen()
          mayEnd.wait()
        }
      }
      await begun.happened()
      let both = Task {
        try await ledger.writeShared(locking: [], about: [key(1), key(2)]) {
          try $0.row("SELECT count(*) AS count FROM note")?.integer("count")
        }
      }
      try await until { ledger.sharedWrites.waiting == 1 }
      let later = Task { try await ledger.writeShared(locking: [], about: [key(2)]) { try Self.insert(1, $0) } }
      try await until { ledger.sharedWrites.waiting == 2 }
      mayEnd.happen()
      #expect(try await both.value == 0)
      _ = try await later.value
      try await holder.value
    }
  }

  @Test("a write that throws before it changes anything does not disturb the others")
  func refusing() async throws {
    try await LedgerFixture.with { fixture in
      let runs = Log<Int>()
      let results = try await Self.shared(fixture, 3) { id, transaction in
        runs.append(id)
        guard id == 2 else { return try Self.insert(id, transaction) }
        _ = try transaction.row("SELECT 1 AS one")
        try transaction.executeLater("INSERT INTO note (id) VALUES (2)")
        throw NotEnough()
      }
      #expect(throws: NotEnough()) { try results[1].get() }
      #expect(try results[0].get() == results[2].get())
      #expect(try fixture.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM note") == "1,3")
      #expect(runs.entries.count == 3)
    }
  }

  @Test("a write whose lock is not free waits alone; the others do not wait for it")
  func busyLock() async throws {
    try await LedgerFixture.with { fixture in
      let other = try fixture.beside()
      try other.run("SELECT pg_advisory_lock(\(AdvisoryLock(Self.lock(2).name).number))")
      async let results = Self.shared(fixture, 3) { try Self.insert($0, $1) }
      try await until { try fixture.waitingForLocks() == 1 && fixture.value("SELECT count(*) FROM note") == "2" }
      #expect(try fixture.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM note") == "1,3")
      try other.run("SELECT pg_advisory_unlock_all()")
      let transactions = try await results.map { try $0.get() }
      #expect(transactions[0] == transactions[2] && transactions[0] != transactions[1])
    }
  }

  @Test("writes that wait for the lock of one customer do not delay other customers")
  func busyCustomer() async throws {
    try await LedgerFixture.with { fixture in
      let other = try fixture.beside()
      try other.run("SELECT pg_advisory_lock(\(AdvisoryLock(Self.lock(1).name).number))")
      let ledger = fixture.ledger
      // The first finds the lock taken, and waits for it. The others wait for the first.
      let held = (1...4).map { id in
        Task { try await ledger.writeShared(locking: [Self.lock(1)], about: []) { try Self.insert(id, $0) } }
      }
      try await until { try fixture.waitingForLocks() == 1 && ledger.sharedWrites.waiting == held.count - 1 }
      _ = try await ledger.writeShared(locking: [Self.lock(5)], about: []) { try Self.insert(5, $0) }
      #expect(try fixture.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM note") == "5")
      try other.run("SELECT pg_advisory_unlock_all()")
      for task in held { _ = try await task.value }
      #expect(try fixture.value("SELECT count(*) FROM note") == "5")
    }
  }

  @Test("a write that needs further locks runs again alone, with all of its locks")
  func furtherLocks() async throws {
    try await LedgerFixture.with { fixture in
      let runs = Log<Int>()
      let results = try await Self.shared(fixture, 3) { id, transaction in
        runs.append(id)
        // The lock of the third write, which runs at the same time.
        if id == 1 { try transaction.require(Self.lock(1), Self.lock(3)) }
        return try Self.insert(id, transaction)
      }
      let transactions = try results.map { try $0.get() }
      #expect(transactions[1] == transactions[2] && transactions[0] != transactions[1])
      #expect(runs.entries.sorted() == [1, 1, 2, 3])
    }
  }

  @Test("when the connection is lost, each write is repeated, and none has an effect twice")
  func lost() async throws {
    try await LedgerFixture.with { fixture in
      let ends = Log<Int>()
      let results = try await Self.shared(fixture, 5) { id, transaction in
        let result = try Self.insert(id, transaction)
        if id == 3, ends.append(id) == 1 {
          _ = try transaction.row("SELECT pg_terminate_backend(pg_backend_pid())::text AS ended")
        }
        return result
      }
      for result in results { _ = try result.get() }
      #expect(try fixture.value("SELECT count(*) FROM note") == "5")
      #expect(!fixture.retried.entries.isEmpty)
    }
  }

  @Test("statements and answers of all sizes are sent together")
  func large() async throws {
    try await LedgerFixture.with { fixture in
      let text = String(repeating: "x", count: 3_000_000)
      let results = try await Self.shared(fixture, 8) { id, transaction in
        for number in 0..<150 {
          try transaction.executeLater(
            "INSERT INTO note (id, text) VALUES ($1, $2)", id * 1_000 + number,
            number == 75 ? text : String(text.prefix(10 * number)))
        }
        return "\(try transaction.rows("SELECT repeat('y', 1000) AS text FROM generate_series(1, 300)").count)"
      }
      #expect(try results.allSatisfy { try $0.get() == "300" })
      #expect(try fixture.value("SELECT count(*) FROM note WHERE length(text) = 3000000") == "8")
      #expect(try fixture.value("SELECT count(*) FROM note") == "1200")
    }
  }

  // MARK: Waiting together

  private static func lock(_ id: Int) -> LedgerLock { .catalog(BundleID(rawValue: "com.example.app\(id)")) }

  /// Inserts a note, and returns the id of the transaction.
  private static func insert(_ id: Int, _ transaction: LedgerTransaction) throws -> String {
    try transaction.executeLater("INSERT INTO note (id) VALUES ($1)", id)
    return try #require(try transaction.row("SELECT pg_current_xact_id()::text AS id")).text("id")
  }

  /// Makes `count` writes wait at the same time, and returns their results. Their ids are 1 to `count`.
  private static func shared(
    _ fixture: LedgerFixture, _ count: Int, lock: (Int) -> LedgerLock = Self.lock,
    about: @escaping @Sendable (Int) -> Set<PurchaseKey> = { _ in [] },
    _ body: @escaping @Sendable (Int, LedgerTransaction) throws -> String
  ) async throws -> [Result<String, any Error>] {
    let ledger = fixture.ledger
    // Two writes that end only when all others wait.
    let holders = (1...2).map { _ in (begun: Event(), mayEnd: Event()) }
    let held = holders.enumerated().map { place, holder in
      Task {
        try await ledger.writeShared(locking: [.catalog(BundleID(rawValue: "com.example.holder\(place)"))], about: []) {
          _ in
          holder.begun.happen()
          holder.mayEnd.wait()
        }
      }
    }
    for holder in holders { await holder.begun.happened() }
    var tasks: [Task<String, any Error>] = []
    for id in 1...count {
      let locks: Set = [lock(id)]
      tasks.append(Task { try await ledger.writeShared(locking: locks, about: about(id)) { try body(id, $0) } })
      try await until { ledger.sharedWrites.waiting == tasks.count }
    }
    holders[0].mayEnd.happen()
    var results: [Result<String, any Error>] = []
    for task in tasks { results.append(await task.result) }
    holders[1].mayEnd.happen()
    for task in held { try await task.value }
    return results
  }
}
