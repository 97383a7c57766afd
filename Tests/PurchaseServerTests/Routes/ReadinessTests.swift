import Foundation
import PrivatePostgreSQL
import PurchaseLedgerPostgreSQL
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("Readiness while the disk is full", .timeLimit(.minutes(30)))
struct ReadinessTests {
  /// A disk of a few megabytes, in memory. Mounting needs root.
  private final class SmallDisk: Sendable {
    let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "small-disk-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      guard mount("tmpfs", folder.path, "tmpfs", 0, "size=6m") == 0 else { throw POSIXError(.EPERM) }
    }

    /// Writes until nothing more can be written.
    func fill() throws {
      let file = open(folder.appending(path: "filler").path, O_CREAT | O_WRONLY, 0o600)
      defer { close(file) }
      for size in [65_536, 4_096] {
        let zeros = [UInt8](repeating: 0, count: size)
        while write(file, zeros, size) == size {}
      }
    }

    func empty() throws { try FileManager.default.removeItem(at: folder.appending(path: "filler")) }

    deinit {
      umount2(folder.path, CInt(MNT_DETACH))
      try? FileManager.default.removeItem(at: folder)
    }
  }

  @Test(
    "not ready while the disk is full, also if the ledger's files have free pages; ready when there is space",
    .enabled(if: getuid() == 0))
  func fullDisk() async throws {
    let disk = try SmallDisk()
    let database = try SQLiteLedgerDatabase(at: disk.folder.appending(path: "ledger.sqlite"))
    let fixture = try await ServerFixture(.init(database: database))
    try await fixture.withClient { client in
      #expect(try await client.get("/ready").status == 200)
      try disk.fill()
      fixture.time.advance(seconds: 1)
      let full = try await client.get("/ready")
      #expect((full.status, full.code) == (503, "notWritable"), "\(full.text)")
      #expect(full.object["component"] as? String == "database" && full.message.contains("(SQLite)"), "\(full.text)")
      #expect(try await client.get("/health").status == 200)
      try disk.empty()
      fixture.time.advance(seconds: 1)
      #expect(try await client.get("/ready").status == 200)
    }
    try await database.close()
  }

  @Test("a PostgreSQL database that is away is named, without hosts, users and passwords; nothing is retried for it")
  func databaseAway() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    try await server.withDatabase { connection in
      var configuration = try PostgreSQLConfiguration(connectionString: connection + " password=hunter2")
      configuration.acceptsServerWithoutFsync = true
      let database = try await PostgreSQLLedgerDatabase.open(configuration)
      let fixture = try await ServerFixture(.init(database: database))
      let name = try #require(connection.split(separator: "=").last)
      try server.run("DROP DATABASE \(name) WITH (FORCE)")
      try await fixture.withClient { client in
        let away = try await client.get("/ready")
        #expect((away.status, away.code) == (503, "temporarilyUnavailable"), "\(away.text)")
        #expect(away.object["component"] as? String == "database" && away.message.contains("(PostgreSQL)"))
        for secret in ["hunter2", "postgres ", server.folder] { #expect(!away.text.contains(secret), "\(away.text)") }
      }
      #expect(fixture.log.lines.contains { $0.contains("SQLSTATE 3D000") })
      try await database.close()
    }
  }

  @Test("probes cause at most one pending write while the ledger does not finish it, however long that takes")
  func stalled() async throws {
    let (database, gate, time) = (FailingDatabase(try SQLiteLedgerDatabase(at: nil)), Gate(), ManualMonotonicClock())
    let ledger = try await Ledger(database: database, anchors: .apple, apps: [:])
    let readiness = Readiness(ledger: ledger, clock: time)
    let before = database.writes
    database.hold(writesAt: gate)
    async let first: Void = readiness.check()
    await gate.untilCallerWaits()
    time.advance(seconds: 30)
    async let second: Void = readiness.check()
    async let third: Void = readiness.check()
    await gate.open()
    _ = try await (first, second, third)
    #expect(database.writes == before + 1)
    time.advance(seconds: 1)
    try await readiness.check()
    #expect(database.writes == before + 2)
  }

  @Test("many probes cause one write per second", arguments: LedgerDatabaseKind.allCases)
  func storm(kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      let fixture = try await ServerFixture(.init(database: database))
      @Sendable func written() async throws -> String? {
        try await fixture.ledger.database.read {
          try $0.row("SELECT value FROM ledger_fact WHERE name = 'writable'")?.text("value")
        }
      }
      try await fixture.withClient { client in
        #expect(try await client.get("/ready").status == 200)
        let first = try await written()
        fixture.clock.advance(seconds: 5)
        for _ in 0..<20 { #expect(try await client.get("/ready").status == 200) }
        #expect(try await written() == first)
        fixture.time.advance(seconds: 1)
        #expect(try await client.get("/ready").status == 200)
        #expect(try await written() != first)
      }
    }
  }
}
