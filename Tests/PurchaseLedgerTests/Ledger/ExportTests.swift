import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("An export", .timeLimit(.minutes(30)))
struct ExportTests {
  @Test(
    "has every column of both databases about the customer, except those that are listed here with a reason",
    arguments: LedgerEngine.allCases)
  func columns(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let rows = ExportedRows()
    try await rows.insert(into: fixture.database)
    let document = try JSONSerialization.jsonObject(with: try await fixture.ledger.exportedJSON(rows.customer))
    let exported = Self.values(of: document)

    let columns = try await Self.columns(of: fixture.database, engine)
    #expect(columns.count > 100)
    for column in columns where ExportedRows.excluded[column] == nil {
      let table = String(column.prefix { $0 != "." })
      guard ExportedRows.otherTables[table] == nil else { continue }
      guard let value = rows.values[column] else {
        Issue.record("\(column) is new: export it, or list it in ExportedRows.excluded with a reason")
        continue
      }
      let text = rows.exportedText(of: column, value)
      // Flags are true in JSON.
      #expect(exported.contains(text) || text == "1" && exported.contains("true"), "\(column)")
    }
    // The lists have nothing that does not exist.
    #expect(Set(ExportedRows.excluded.keys).isSubset(of: columns))
    #expect(Set(rows.values.keys).isSubset(of: columns))
    for secret in ["hash of the token", "olga", "another customer"] {
      #expect(!exported.contains { $0.contains(secret) }, "\(secret)")
    }
    #expect(!exported.contains(rows.other.description))
  }

  @Test("is the same in pages as in one piece, with every row once", arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let customer = try await fixture.installation().customer
    let count = ExportedList.pageSize * 2 + 1
    let receipt = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO credit_account (customer, app, unit, balance, movements) VALUES ($1, 'a', 'coins', $2, $2)",
        customer, count)
      for number in 1...count {
        try transaction.execute(
          """
          INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
          VALUES ($1, 'a', 'coins', $2, 1, $2, 'grants', 'grant', $3, 0)
          """, customer, number, "key \(number)")
        // All claims of one redemption have the same date.
        try transaction.execute(
          """
          INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
          VALUES ('a', 'Sandbox', $2, $1, 'club', 'Auto-Renewable Subscription', 1, 'PURCHASED', 0, 0)
          """, customer, "\(number)")
        try transaction.execute(
          """
          INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated)
          VALUES ('a', 'Sandbox', $1, $2, 'club', 0, 0, 0)
          """, "9\(100_000 + number)", number <= ExportedList.pageSize + 7 ? "1" : "\(number)")
        let former = UUID().uuidString.lowercased()
        try transaction.execute("INSERT INTO customer (id, created, joined_to) VALUES ($1, 0, $2)", former, customer)
        try transaction.execute(
          "INSERT INTO audit_entry (date, id, operator, action, subject, detail) VALUES (0, $1, 'olga', 'grant', $2, '')",
          "\(number)", former)
      }
      for digest in ["x", "y"] {
        try transaction.execute(
          """
          INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due)
          VALUES ($1, 'a', 'Sandbox', $2, 'appReceipt', $3, 0, 0)
          """, customer, digest, receipt)
      }
    }
    let export = try await fixture.ledger.exported(customer)
    #expect(export.movements.map(\.movement.sequence) == (1...count).map(Int64.init))
    #expect(Set(export.purchases.map(\.claim)).count == count && export.purchases.count == count)
    #expect(Set(export.periods.map(\.transaction)).count == count && export.periods.count == count)
    #expect(export.formerIds.count == count && export.operatorActions.count == count)
    #expect(Set(export.operatorActions.map(\.id)).count == count)
    #expect(export.receipts.map { Data(base64Encoded: $0.data) } == [Data(receipt), Data(receipt)])
  }

  @Test(
    "A summary has the periods of subscriptions after many consumables, and says which lists have more rows",
    arguments: LedgerEngine.allCases)
  func summary(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let customer = try await fixture.installation().customer
    let rows = CustomerSummary.rows
    try await fixture.database.write(locking: []) { transaction in
      for number in 1...100 {
        let type = number == 100 ? "Auto-Renewable Subscription" : "Consumable"
        try transaction.execute(
          """
          INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
          VALUES ('a', 'Sandbox', $2, $1, 'club', $3, 1, 'PURCHASED', 0, $4)
          """, customer, "\(number)", type, number)
      }
      for number in 1...rows {
        try transaction.execute(
          """
          INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated)
          VALUES ('a', 'Sandbox', $1, '100', 'club', 0, 0, 0)
          """, "\(1_000 + number)")
      }
    }
    let whole = try await fixture.ledger.summary(of: customer)
    #expect(whole.purchases.count == 100 && whole.periods.count == rows && whole.cut.isEmpty)
    #expect(whole.date == TestLedger.start)
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated)
        VALUES ('a', 'Sandbox', '9999', '100', 'club', 0, 0, 0)
        """)
    }
    let cut = try await fixture.ledger.summary(of: customer)
    #expect(cut.periods.count == rows && cut.cut == ["periods"])
  }

  @Test("holds no more than a page and a piece in memory, and reads on only when the piece was sent")
  func pieces() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    let customer = try await fixture.installation().customer
    try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        "INSERT INTO credit_account (customer, app, unit, balance, movements) VALUES ($1, 'a', 'coins', 5000, 5000)",
        customer)
      for number in 1...5000 {
        try transaction.execute(
          """
          INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
          VALUES ($1, 'a', 'coins', $2, 1, $2, 'grants', 'grant', $3, 0)
          """, customer, number, "\(number)")
      }
    }
    var sizes: [Int] = []
    try await fixture.ledger.export(customer).write { piece in
      sizes.append(piece.count)
      // No transaction and no turn is held while a slow client receives: other exports and writes continue.
      _ = try await fixture.ledger.exportedJSON(customer)
      try await fixture.ledger.grant(
        .credits(TestLedger.coin, 1), to: customer, app: TestLedger.app, key: "\(sizes.count)", reason: "test",
        by: "olga")
    }
    #expect(sizes.count > 5)
    #expect(sizes.allSatisfy { $0 < 2 * CustomerExportReader.pieceBytes })
  }

  @Test("reads a customer's claims in the order of their index: SQLite does not sort them")
  func order() async throws {
    let plan = try await TestLedger.open(.sqlite).database.read { transaction in
      try transaction.rows(
        """
        EXPLAIN QUERY PLAN SELECT app, claimed, environment, id FROM claim
        WHERE customer = $1 AND (app, claimed, environment, id) >= ($2, $3, $4, $5)
        ORDER BY app, claimed, environment, id LIMIT $6
        """, "", "", 0, "", "", 1
      ).map { try $0.text("detail") }
    }
    #expect(!plan.isEmpty && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test("ends if the customer is erased meanwhile", arguments: LedgerEngine.allCases)
  func erased(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let customer = try await fixture.installation().customer
    let export = try await fixture.ledger.export(customer)
    try await fixture.ledger.erase(customer)
    await #expect(throws: LedgerError.unknownCustomer(customer)) { try await export.write { _ in } }
  }

  // MARK: The schema

  /// The columns of all tables, each with its table.
  private static func columns(of database: any LedgerDatabase, _ engine: LedgerEngine) async throws -> Set<String> {
    let sql =
      switch engine {
      case .sqlite:
        """
        SELECT m.name || '.' || c.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'grdb%'
        """
      case .postgreSQL:
        """
        SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
        JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
        """
      }
    return try await database.read { Set(try $0.rows(sql).map { try $0.text("name") }) }
  }

  /// All texts and numbers of a JSON document.
  private static func values(of value: Any) -> Set<String> {
    switch value {
    case let object as [String: Any]: object.values.reduce(into: []) { $0.formUnion(values(of: $1)) }
    case let list as [Any]: list.reduce(into: []) { $0.formUnion(values(of: $1)) }
    default: ["\(value)"]
    }
  }
}
