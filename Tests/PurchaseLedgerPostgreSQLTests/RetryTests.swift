import PrivatePostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: retries", .timeLimit(.minutes(30)))
struct RetryTests {
  @Test("two writes in a deadlock are both committed in the end")
  func deadlock() async throws {
    try await LedgerFixture.with { fixture in
      try fixture.beside().run("INSERT INTO note (id, number) VALUES (1, 0), (2, 0)")
      let (one, two) = (Event(), Event())
      let add: @Sendable (Int, LedgerTransaction) throws -> Void = {
        try $1.execute("UPDATE note SET number = number + 1 WHERE id = $1", $0)
      }
      async let first: Void = fixture.ledger.write(locking: [LedgerFixture.alice]) {
        try add(1, $0)
        one.happen()
        two.wait()
        try add(2, $0)
      }
      async let second: Void = fixture.ledger.write(locking: [LedgerFixture.bob]) {
        try add(2, $0)
        two.happen()
        one.wait()
        try add(1, $0)
      }
      _ = try await (first, second)
      #expect(try fixture.value("SELECT string_agg(number::text, ',') FROM note") == "2,2")
      #expect(fixture.retried.entries == [.overloaded])
    }
  }

  @Test("a write with a serialization failure is retried")
  func serialization() async throws {
    try await LedgerFixture.with { fixture in
      try fixture.beside().run("INSERT INTO note (id, number) VALUES (1, 0)")
      let runs = Log<Int64>()
      try await fixture.ledger.write(locking: []) { transaction in
        try transaction.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        let row = try transaction.row("SELECT number FROM note WHERE id = 1")
        let number = try #require(row).integer("number")
        if runs.append(number) == 1 { try fixture.beside().run("UPDATE note SET number = number + 10") }
        try transaction.execute("UPDATE note SET number = $1 WHERE id = 1", number + 1)
      }
      #expect(runs.entries == [0, 10])
      #expect(try fixture.value("SELECT number FROM note") == "11")
      #expect(fixture.retried.entries == [.overloaded])
    }
  }

  @Test("a write whose connection is closed in its middle happens once")
  func connectionEnded() async throws {
    try await LedgerFixture.with { fixture in
      let processes = Log<Int64>()
      try await fixture.ledger.write(locking: [LedgerFixture.alice]) { transaction in
        try transaction.execute("INSERT INTO note (id) VALUES (1)")
        let row = try transaction.row("SELECT pg_backend_pid() AS process")
        let process = try #require(row).integer("process")
        if processes.append(process) == 1 {
          try fixture.beside().run("SELECT pg_terminate_backend(\(process), 60000)")
        }
        try transaction.execute("UPDATE note SET number = 1")
      }
      #expect(Set(processes.entries).count == 2)
      #expect(try fixture.value("SELECT count(*) FROM note WHERE number = 1") == "1")
      #expect(fixture.retried.entries.count == 1)
      guard case .unavailable = fixture.retried.entries.first else {
        Issue.record("it was tried again because of \(fixture.retried.entries)")
        return
      }
    }
  }

  /// A database behind a proxy that can lose the answers to commits.
  private func withLossyProxy(
    _ body: (LossyProxy, PostgreSQLConfiguration, Log<LedgerDatabaseError>, String) async throws -> Void
  ) async throws {
    let server = try PrivatePostgreSQL.shared.get()
    let proxy = try LossyProxy(before: server.folder)
    defer { try? proxy.close() }
    try await server.withDatabase { connectionString in
      let configuration = try PostgreSQLConfiguration.forTests(
        connectionString.replacing("host=\(server.folder)", with: "host=\(proxy.path)"))
      try await body(proxy, configuration, Log(), connectionString)
    }
  }

  @Test("a write whose commit succeeded without an answer finds its own result")
  func lostCommit() async throws {
    try await withLossyProxy { proxy, configuration, retried, connectionString in
      let ledger = try await PostgreSQLLedgerDatabase.open(
        configuration, retries: .withoutPauses(retried), migrations: LedgerFixture.migrations)
      proxy.loseNextCommitsAnswer()
      let inserted = Log<Int>()
      _ = try await ledger.write(locking: [LedgerFixture.alice]) {
        inserted.append(try $0.execute("INSERT INTO note (id) VALUES (1) ON CONFLICT (id) DO NOTHING"))
      }
      #expect(inserted.entries == [1, 0])
      #expect(retried.entries.count == 1)
      #expect(try PlainConnection(connectionString).run("SELECT id FROM note") == [["1"]])
      try await ledger.close()
    }
  }

  @Test("an installation or an operator's key whose commit was not answered exists once, and its token is valid")
  func lostCommitOfSecrets() async throws {
    try await withLossyProxy { proxy, configuration, retried, connectionString in
      let database = try await PostgreSQLLedgerDatabase.open(configuration, retries: .withoutPauses(retried))
      let app = BundleID("com.example.app")
      let ledger = try await Ledger(database: database, anchors: .apple, apps: [app: LedgerSettings()])
      proxy.loseNextCommitsAnswer()
      let installation = try await ledger.registerInstallation(app: app, device: nil)
      proxy.loseNextCommitsAnswer()
      let key = try await ledger.createOperatorKey(name: "olga", role: .admin, by: .commandLine)
      #expect(retried.entries.count == 2)
      #expect(try await ledger.authenticate(installation.token).customer == installation.customer)
      #expect(try await ledger.authenticateOperator(key.token) == key.identity)
      #expect(try PlainConnection(connectionString).run("SELECT action FROM audit_entry") == [["createOperatorKey"]])
      try await database.close()
    }
  }

  @Test("a permanent failure is not retried")
  func permanent() async throws {
    try await LedgerFixture.with { fixture in
      let runs = Log<Int>()
      await #expect(throws: LedgerDatabaseError.self) {
        try await fixture.ledger.write(locking: []) {
          runs.append(1)
          try $0.execute("INSERT INTO nowhere (id) VALUES (1)")
        }
      }
      #expect(runs.entries.count == 1)
      #expect(fixture.retried.entries.isEmpty)
    }
  }

  @Test("without an answer, the connection is retried a few times, then the error is reported")
  func unavailable() async throws {
    let (retried, pauses) = (Log<LedgerDatabaseError>(), Log<Int>())
    let configuration = try PostgreSQLConfiguration.forTests("host=/nowhere user=postgres password=opensesame")
    let error = await #expect(throws: LedgerDatabaseError.self) {
      _ = try await PostgreSQLLedgerDatabase.open(configuration, retries: .withoutPauses(retried, pauses: pauses))
    }
    guard case .unavailable(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("/nowhere") && !reason.contains("opensesame"))
    #expect(retried.entries.count == RetryPolicy().attempts - 1)
    #expect(pauses.entries.count == RetryPolicy().attempts - 1)
  }
}
