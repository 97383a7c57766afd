import Foundation
import PrivatePostgreSQL
import PurchaseLedgerPostgreSQL
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct PsqlTests {
  @Test("psql reads the documented views", .timeLimit(.minutes(30)))
  func views() async throws {
    try await PrivatePostgreSQL.shared.get().withDatabase { connection in
      var configuration = try PostgreSQLConfiguration(connectionString: connection)
      configuration.acceptsServerWithoutFsync = true
      let database = try await PostgreSQLLedgerDatabase.open(configuration)
      let fixture = try await TestLedger.open(on: database)
      let ada = try await fixture.identified("ada")
      _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: ada)
      _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 2), for: ada)
      _ = try await fixture.ledger.spend(2, of: TestLedger.coin, key: "a", customer: ada.customer, app: TestLedger.app)

      func psql(_ query: String) async throws -> [String] { try await Self.psql(query, connection) }
      #expect(
        try await psql("SELECT account, unit, balance FROM ledger_balance ORDER BY balance") == [
          "sales|coins|-5", "spending|coins|2", "customer:\(ada.customer)|coins|3",
        ])
      #expect(try await psql("SELECT COALESCE(SUM(balance), 0) FROM ledger_balance") == ["0"])
      #expect(try await psql("SELECT COUNT(*) FROM ledger_check") == ["0"])
      #expect(
        try await psql("SELECT account, amount, cause FROM ledger_entry ORDER BY amount, account") == [
          "sales|-5|purchase", "customer:\(ada.customer)|-2|spend", "spending|2|spend",
          "customer:\(ada.customer)|5|purchase",
        ])
      #expect(
        try await psql("SELECT product, origin, ended IS NULL FROM customer_entitlement") == [
          "\(TestLedger.book)|purchased|t"
        ])
      // The view has dates as timestamps, not as numbers.
      #expect(
        try await psql(
          "SELECT to_char(claimed AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') FROM customer_claim ORDER BY id")
          == ["2027-01-15 08:00", "2027-01-15 08:00"])
      try await database.close()
    }
  }

  private static func psql(_ query: String, _ connection: String) async throws -> [String] {
    let psql = try await Program.run("psql", ["-X", "-A", "-t", "-c", query, connection])
    #expect(psql.status == 0, "\(psql.standardError)")
    return psql.standardOutput.split(separator: "\n").map(String.init)
  }
}
