import PrivatePostgreSQL
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: the connection pool", .timeLimit(.minutes(30)))
struct PoolTests {
  private static func connections(_ fixture: LedgerFixture) throws -> Int {
    let text = try fixture.value(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'openstorekit'
      """)
    return Int(text ?? "") ?? 0
  }

  /// A write that holds its connection until the test lets it continue.
  private struct Guest {
    let inside = Event()
    let goOn = Event()

    func write(_ ledger: PostgreSQLLedgerDatabase) -> Task<Int, any Error> {
      Task {
        try await ledger.write(locking: []) { _ in
          inside.happen()
          goOn.wait()
          return 1
        }
      }
    }
  }

  @Test("connections are opened when they are needed, at most as many as the pool size")
  func lazily() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 3 }) { fixture in
      for _ in 0..<5 { try await fixture.ledger.write(locking: []) { _ in } }
      #expect(try Self.connections(fixture) == 1)
      let guests = (0..<3).map { _ in Guest() }
      let writes = guests.map { $0.write(fixture.ledger) }
      for guest in guests { await guest.inside.happened() }
      let fourth = Task { try await fixture.ledger.write(locking: []) { _ in 4 } }
      try await until { fixture.ledger.pool.waiting == 1 }
      #expect(try Self.connections(fixture) == 3)
      for guest in guests { guest.goOn.happen() }
      for write in writes { #expect(try await write.value == 1) }
      #expect(try await fourth.value == 4)
    }
  }

  @Test("waiting tasks are served in order, and refused when too many wait")
  func order() async throws {
    try await LedgerFixture.with(configure: { ($0.poolSize, $0.waitingLimit) = (1, 3) }) { fixture in
      let (guest, log) = (Guest(), Log<Int>())
      let first = guest.write(fixture.ledger)
      await guest.inside.happened()
      var waiting: [Task<Void, any Error>] = []
      for number in 1...3 {
        waiting.append(Task { try await fixture.ledger.write(locking: []) { _ in _ = log.append(number) } })
        try await until { fixture.ledger.pool.waiting == number }
      }
      await #expect(throws: LedgerDatabaseError.overloaded) {
        try await fixture.ledger.read { _ in }
      }
      guest.goOn.happen()
      _ = try await first.value
      for task in waiting { try await task.value }
      #expect(log.entries == [1, 2, 3])
    }
  }

  @Test("a cancelled task no longer waits for a connection")
  func cancelled() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let (guest, log) = (Guest(), Log<String>())
      let first = guest.write(fixture.ledger)
      await guest.inside.happened()
      let left = Task { try await fixture.ledger.write(locking: []) { _ in _ = log.append("left") } }
      try await until { fixture.ledger.pool.waiting == 1 }
      let stays = Task { try await fixture.ledger.write(locking: []) { _ in _ = log.append("stays") } }
      try await until { fixture.ledger.pool.waiting == 2 }
      left.cancel()
      await #expect(throws: CancellationError.self) { try await left.value }
      #expect(fixture.ledger.pool.waiting == 1)
      guest.goOn.happen()
      _ = try await first.value
      try await stays.value
      #expect(log.entries == ["stays"])
    }
  }

  @Test("closing refuses waiting and new tasks, lets running ones finish, and leaves no connection")
  func closing() async throws {
    try await LedgerFixture.with(configure: { $0.poolSize = 1 }) { fixture in
      let (guest, closed) = (Guest(), Log<String>())
      let inside = guest.write(fixture.ledger)
      await guest.inside.happened()
      let waiting = Task { try await fixture.ledger.write(locking: []) { _ in } }
      try await until { fixture.ledger.pool.waiting == 1 }
      let closing = Task {
        try await fixture.ledger.close()
        closed.append("closed")
      }
      await #expect(throws: LedgerDatabaseError.closed) { try await waiting.value }
      await #expect(throws: LedgerDatabaseError.closed) { try await fixture.ledger.read { _ in } }
      #expect(closed.entries.isEmpty)
      guest.goOn.happen()
      #expect(try await inside.value == 1)
      try await closing.value
      try await fixture.ledger.close()
      try await until { try Self.connections(fixture) == 0 }
    }
  }

  @Test("open connections are used first: those that could not be opened do not hide them")
  func openFirst() {
    var free = FreeConnections(closed: [1, 2, 3])
    #expect(free.take()! == (3, false) && free.take()! == (2, false))
    free.add(2, isOpen: true)
    free.add(3, isOpen: false)
    #expect(free.take()! == (2, true) && free.take()! == (3, false))
    free.add(2, isOpen: true)
    free.closeAll()
    #expect(free.take()! == (2, false) && free.take()! == (1, false) && free.take() == nil)
  }

  @Test("while the database accepts no further connections, the open ones serve all tasks")
  func noFurtherConnections() async throws {
    try await LedgerFixture.with(configure: { ($0.poolSize, $0.waitingLimit) = (4, 100) }) { fixture in
      try await fixture.ledger.write(locking: []) { _ in }
      let database = try #require(try fixture.value("SELECT current_database()"))
      let server = try PrivatePostgreSQL.shared.get()
      try server.run("ALTER DATABASE \(database) ALLOW_CONNECTIONS false")
      for _ in 0..<3 {
        // Some of them fail, because they try to open a connection.
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<20 { group.addTask { try? await fixture.ledger.write(locking: []) { _ in } } }
        }
        for _ in 0..<3 { try await fixture.ledger.write(locking: []) { _ in } }
      }
      #expect(fixture.ledger.pool.waiting == 0)
      try server.run("ALTER DATABASE \(database) ALLOW_CONNECTIONS true")
    }
  }
}
