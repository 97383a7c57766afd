import Foundation
import PrivatePostgreSQL
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: restarts of the server", .serialized, .timeLimit(.minutes(30)))
struct RestartTests {
  /// A separate server, because the other tests would lose their connections.
  private static let server = Result { try PrivatePostgreSQL() }

  @Test("after a restart of the server the ledger continues, also with many open connections")
  func restart() async throws {
    let server = try Self.server.get()
    try await LedgerFixture.with(server: server, configure: { $0.poolSize = 12 }) { fixture in
      let (goOn, inside) = (Event(), (0..<12).map { _ in Event() })
      let writes = inside.map { event in
        Task {
          try await fixture.ledger.write(locking: []) { _ in
            event.happen()
            goOn.wait()
          }
        }
      }
      for event in inside { await event.happened() }
      goOn.happen()
      for write in writes { try await write.value }
      try server.restart()
      for id in 1...20 {
        _ = try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
          try $0.execute("INSERT INTO note (id) VALUES ($1)", id)
        }
      }
      #expect(try fixture.value("SELECT count(*) FROM note") == "20")
      #expect(fixture.retried.entries.count == 1)
    }
  }

  @Test("writes survive a crash of the server, and each happens once", arguments: 0..<5)
  func crash(round: Int) async throws {
    let server = try Self.server.get()
    // Without pauses, many attempts are made until the server has started again.
    let policy = RetryPolicy(attempts: 1_000_000)
    try await LedgerFixture.with(server: server, configure: { $0.poolSize = 12 }, policy: policy) { fixture in
      let begun = Event()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<12 {
          group.addTask {
            for number in 0..<40 {
              let insert: @Sendable (LedgerTransaction) throws -> Int = {
                try $0.execute("INSERT INTO note (id) VALUES ($1) ON CONFLICT DO NOTHING", writer * 1_000 + number)
              }
              if writer.isMultiple(of: 2) {
                _ = try await fixture.ledger.write(locking: [], insert)
              } else {
                _ = try await fixture.ledger.writeShared(locking: [], about: [], insert)
              }
              if number == 5 { begun.happen() }
            }
          }
        }
        await begun.happened()
        // Like a process that the system kills because of low memory.
        let pid = try fixture.value(
          "SELECT min(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = user")
        kill(try #require(pid.flatMap { pid_t($0) }), SIGKILL)
        try await group.waitForAll()
      }
      #expect(try fixture.value("SELECT count(*) FROM note") == "480")
    }
  }

  @Test("a write survives a restart in its middle, and happens once")
  func restartInside() async throws {
    let server = try Self.server.get()
    try await LedgerFixture.with(server: server) { fixture in
      let runs = Log<Int>()
      try await fixture.ledger.write(locking: [LedgerFixture.alice]) {
        try $0.execute("INSERT INTO note (id) VALUES (1)")
        if runs.append(1) == 1 { try server.restart() }
        try $0.execute("INSERT INTO note (id) VALUES (2)")
      }
      #expect(runs.entries.count == 2)
      #expect(try fixture.value("SELECT count(*) FROM note") == "2")
    }
  }
}
