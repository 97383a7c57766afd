import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// What a thief of a backup does not find in it (Documentation/threat-model.md, "A stolen backup").
@Suite("A stolen backup", .timeLimit(.minutes(30)))
struct StolenBackupTests {
  @Test("G6 no token, operator's key or session is in it, and the hashes in it authenticate nobody")
  func sqlite() async throws {
    let folder = try ScratchFolder()
    let database = try SQLiteLedgerDatabase(at: folder.url.appending(path: "ledger.sqlite"))
    let (fixture, secrets) = try await filled(database)
    let copy = folder.url.appending(path: "ledger.sqlite.backup-1")
    try await database.backUp(to: copy)
    try await expect(secrets, notIn: String(decoding: try Data(contentsOf: copy), as: UTF8.self), fixture)
    try await database.close()
  }

  @Test("G6 the same is true of all rows of a PostgreSQL database")
  func postgreSQL() async throws {
    let database = try await LedgerEngine.postgreSQL.makeDatabase()
    let (fixture, secrets) = try await filled(database)
    let dump = try await database.read { transaction in
      try LedgerSchema.tableNames(.postgreSQL).flatMap { table in
        try transaction.rows("SELECT CAST(t AS TEXT) AS line FROM \(table) AS t").map { try $0.text("line") }
      }.joined(separator: "\n")
    }
    try await expect(secrets, notIn: dump, fixture)
    try await database.close()
  }

  /// Returns a ledger with a customer, an operator and a session, and their secrets.
  private func filled(_ database: any LedgerDatabase) async throws -> (TestLedger, [BearerToken]) {
    let fixture = try await TestLedger.open(on: database)
    let key = try await fixture.ledger.createOperatorKey(name: "olga", role: .admin, by: .commandLine).token
    return (fixture, [try await fixture.token(), key, try await fixture.ledger.beginOperatorSession(key)])
  }

  private func expect(_ secrets: [BearerToken], notIn backup: String, _ fixture: TestLedger) async throws {
    for secret in secrets {
      #expect(backup.contains(secret.hash))
      let random = try #require(secret.text.split(separator: "_", maxSplits: 1).last)
      #expect(!backup.contains(random))
      for stolen in [secret.hash, secret.text.prefix(while: { $0 != "_" }) + "_" + secret.hash] {
        await #expect(throws: LedgerError.self) { try await fixture.ledger.authenticate(BearerToken(text: stolen)) }
        await #expect(throws: LedgerError.self) {
          try await fixture.ledger.authenticateOperator(BearerToken(text: stolen))
        }
      }
    }
  }
}
