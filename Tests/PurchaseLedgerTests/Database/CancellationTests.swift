import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Cancelled transactions", .timeLimit(.minutes(30)))
struct CancellationTests {
  /// Lets a transaction wait for the test.
  private struct Stop: Sendable {
    private let inside = AsyncStream.makeStream(of: Void.self)
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
      inside.continuation.yield()
      semaphore.wait()
    }

    func reached() async { for await _ in inside.stream { return } }

    func goOn() { semaphore.signal() }
  }

  private static let insert = "INSERT INTO ledger_fact (name, value) VALUES ($1, 'x')"

  @Test(
    "B9 the write of a cancelled task ends at its next statement, and changes nothing; the database is free again",
    arguments: LedgerEngine.allCases)
  func write(_ engine: LedgerEngine) async throws {
    let database = try await engine.makeDatabase()
    let stop = Stop()
    let write = Task {
      try await database.write(locking: []) { transaction in
        try transaction.execute(Self.insert, "a")
        stop.wait()
        try transaction.execute(Self.insert, "b")
      }
    }
    await stop.reached()
    write.cancel()
    stop.goOn()
    await #expect(throws: CancellationError.self) { try await write.value }
    let names = try await database.write(locking: []) { transaction in
      try transaction.execute(Self.insert, "c")
      return try transaction.rows("SELECT name FROM ledger_fact").map { try $0.text("name") }
    }
    #expect(names == ["c"])
    try await database.close()
  }

  @Test("B9 the read of a cancelled task ends at its next statement", arguments: LedgerEngine.allCases)
  func read(_ engine: LedgerEngine) async throws {
    let database = try await engine.makeDatabase()
    let stop = Stop()
    let read = Task {
      try await database.read { transaction in
        stop.wait()
        return try transaction.rows("SELECT name FROM ledger_fact").count
      }
    }
    await stop.reached()
    read.cancel()
    stop.goOn()
    await #expect(throws: CancellationError.self) { try await read.value }
    try await database.close()
  }

  @Test("B9 a write that waits for SQLite's only connection is not run if its task is cancelled")
  func waiting() async throws {
    let database = try SQLiteLedgerDatabase(at: nil)
    let stop = Stop()
    let first = Task { try await database.write(locking: []) { _ in stop.wait() } }
    await stop.reached()
    let second = Task {
      _ = try await database.write(locking: []) { try $0.execute(Self.insert, "second") }
    }
    second.cancel()
    // It ends although the first one still runs.
    await #expect(throws: CancellationError.self) { try await second.value }
    stop.goOn()
    try await first.value
    #expect(try await database.read { try $0.rows("SELECT name FROM ledger_fact").isEmpty })
    try await database.close()
  }

  @Test("B9 a full disk is an error of its own, in both databases")
  func full() async throws {
    let database = try SQLiteLedgerDatabase(at: nil)
    try await database.read { _ = try $0.rows("PRAGMA max_page_count = 1") }
    let error = await #expect(throws: LedgerDatabaseError.self) {
      _ = try await database.write(locking: []) { transaction in
        for number in 0..<10_000 {
          try transaction.execute(Self.insert, "\(number) \(String(repeating: "x", count: 1000))")
        }
      }
    }
    guard case .full = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await database.read { try $0.rows("SELECT name FROM ledger_fact").isEmpty })
    try await database.close()
  }
}
