import Foundation
import PrivatePostgreSQL
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: a server that comes and goes", .serialized, .timeLimit(.minutes(10)))
struct RestartTests {
  /// Not that of the other tests, which would lose their connections.
  private static let server = Result { try PrivatePostgreSQL() }

  @Test("after a restart of the server all goes on by itself, also with many connections open")
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

  @Test("a crash of the server under many writes is survived by all of them, and each happens once", arguments: 0..<5)
  func crash(round: Int) async throws {
    let server = try Self.server.get()
    try await LedgerFixture.with(server: server, configure: { $0.poolSize = 12 }) { fixture in
      let begun = Event()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<12 {
          group.addTask {
            for number in 0..<40 {
              _ = try await fixture.ledger.write(locking: []) {
                try $0.execute(
                  "INSERT INTO note (id) VALUES ($1) ON CONFLICT DO NOTHING", Int64(writer * 1_000 + number))
              }
              if number == 5 { begun.happen() }
            }
          }
        }
        await begun.happened()
        // As when the system ends a process because memory is short.
        let pid = try fixture.value(
          "SELECT min(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = user")
        kill(try #require(pid.flatMap { pid_t($0) }), SIGKILL)
        try await group.waitForAll()
      }
      #expect(try fixture.value("SELECT count(*) FROM note") == "480")
    }
  }

  @Test("a restart in the middle of a write is survived, and the write happens once")
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
