import PrivatePostgreSQL
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: rights to the ledger's tables", .timeLimit(.minutes(30)))
struct AccessTests {
  private func expectNotUsable(
    _ action: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    do {
      try await action()
      Issue.record("it was accepted", sourceLocation: sourceLocation)
    } catch LedgerDatabaseError.notUsable {}
  }

  @Test("B9 a right to one table that is missing, or a missing table, is found without a write to it")
  func missingRight() async throws {
    try await LedgerFixture.with(migrations: LedgerSchema.migrations(.postgreSQL)) { fixture in
      let owner = try PlainConnection(fixture.connectionString)
      let role = "keeper_\(try #require(try fixture.value("SELECT current_database()")))"
      try owner.run("CREATE ROLE \(role) LOGIN")
      try owner.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)")
      let keeper = try await PostgreSQLLedgerDatabase.open(
        .forTests("\(fixture.connectionString) user=\(role)"), retries: .withoutPauses())
      try await keeper.checkAccess()
      for right in ["SELECT", "INSERT"] {
        try owner.run("REVOKE \(right) ON credit_movement FROM \(role)")
        try await expectNotUsable { try await keeper.checkAccess() }
        try owner.run("GRANT \(right) ON credit_movement TO \(role)")
        try await keeper.checkAccess()
      }
      try owner.run("ALTER TABLE credit_movement RENAME TO credit_movement_aside")
      try await expectNotUsable { try await keeper.checkAccess() }
      try await keeper.close()
      try owner.run("DROP OWNED BY \(role); DROP ROLE \(role)")
    }
  }

  @Test("B9 a statement that lacks its table, its schema or a right is reported as such")
  func statements() async throws {
    try await LedgerFixture.with { fixture in
      for sql in ["SELECT 1 AS one FROM nowhere", "SELECT 1 AS one FROM nowhere.note"] {
        try await expectNotUsable { _ = try await fixture.ledger.read { try $0.rows(sql).count } }
      }
      #expect(PostgreSQLFailure(state: "42501", reason: "").error == .notUsable(reason: " (SQLSTATE 42501)"))
    }
  }
}
