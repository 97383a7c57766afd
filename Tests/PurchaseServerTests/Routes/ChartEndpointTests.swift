import Foundation
import HTTPTypes
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

/// Documentation/charts.md. The numbers are tested with the ledger (`ChartTests`).
@Suite("The endpoint of charts", .timeLimit(.minutes(30)))
struct ChartEndpointTests {
  private static func path(_ name: ChartName, _ query: String = "") -> String {
    "/v1/operator/charts/\(name.rawValue)?app=\(BookStore.app)\(query)"
  }

  @Test("has a value of each column for each month, and says what the columns are", arguments: ChartName.allCases)
  func whole(_ name: ChartName) async throws {
    let fixture = try await ServerFixture()
    try await fixture.addChartRows()
    let reply = try await fixture.withClient { client in
      try await client.get(Self.path(name, "&from=2026-05"), token: fixture.operatorKey)
    }
    #expect(reply.status == 200, "\(reply.text)")
    #expect(reply.object["name"] as? String == name.rawValue)
    #expect(reply.object["app"] as? String == BookStore.app.rawValue)
    #expect(reply.object["environment"] as? String == (name == .creditsOutstanding ? nil : "Production"))
    #expect(reply.object["from"] as? String == "2026-05" && reply.object["until"] as? String == "2026-07")
    #expect(reply.object["date"] as? Int64 == BookStore.opening.millisecondsSince1970)
    #expect((reply.object["definition"] as? String)?.isEmpty == false)
    let columns = reply.list("columns")
    #expect(columns.allSatisfy { ($0["title"] as? String)?.isEmpty == false && $0["definition"] is String })
    let series = reply.list("series")
    var names: Set<String> = []
    for each in series {
      let months = try #require(each["months"] as? [[String: Any]])
      #expect(months.map { $0["month"] as? String } == ["2026-05", "2026-06", "2026-07"])
      for month in months { names.formUnion(try #require(month["values"] as? [String: Int64]).keys) }
    }
    #expect(Set(columns.compactMap { $0["name"] as? String }) == names)
    #expect(columns.count == names.count)
    #expect(series.compactMap { $0["currency"] as? String } == (name.hasMoney ? ["EUR", "USD"] : []))
    #expect(series.compactMap { $0["unit"] as? String } == (name == .creditsOutstanding ? ["coins"] : []))
  }

  @Test("environment, range and currency choose; a query that is wrong, or of no use, is refused with what is wrong")
  func queries() async throws {
    let fixture = try await ServerFixture()
    try await fixture.addChartRows()
    try await fixture.withClient { client in
      let key = fixture.operatorKey
      let one = try await client.get(Self.path(.recurringRevenue, "&currency=USD&until=2026-06"), token: key)
      let series = one.list("series")
      #expect(series.map { $0["currency"] as? String } == ["USD", nil])
      let months = try #require(series.first?["months"] as? [[String: Any]])
      #expect(months.count == 12 && one.object["from"] as? String == "2025-07")
      #expect((months.last?["values"] as? [String: Int64])?["gross"] == 3_000)
      let sandbox = try await client.get(Self.path(.recurringRevenue, "&environment=Sandbox"), token: key)
      #expect(sandbox.list("series").count == 1)
      let refused: [(path: String, status: Int, code: String)] = [
        ("/v1/operator/charts/churn", 400, "malformedRequest"),
        ("/v1/operator/charts/none?app=\(BookStore.app)", 400, "malformedRequest"),
        ("/v1/operator/charts/churn?app=none", 404, "unknownApp"),
        (Self.path(.churn, "&environment=Elsewhere"), 400, "malformedRequest"),
        (Self.path(.churn, "&from=2026"), 400, "malformedRequest"),
        (Self.path(.churn, "&from=2026-13"), 400, "malformedRequest"),
        (Self.path(.churn, "&until=2026-08"), 422, "invalid"), (Self.path(.churn, "&from=2023-07"), 422, "invalid"),
        (Self.path(.churn, "&from=2026-05&until=2026-04"), 422, "invalid"),
        (Self.path(.churn, "&currency=EUR"), 422, "invalid"), (Self.path(.refunds, "&currency=eur"), 422, "invalid"),
        (Self.path(.creditsOutstanding, "&environment=Production"), 422, "invalid"),
        (Self.path(.churn, "&month=2026-05"), 400, "malformedRequest"),
      ]
      for (path, status, code) in refused {
        let reply = try await client.get(path, token: key)
        #expect((reply.status, reply.code) == (status, code), "\(path): \(reply.text)")
        #expect(!reply.message.isEmpty)
      }
    }
  }

  @Test("credits that an app has redeemed are outstanding")
  func credits() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    let coins = try await fixture.bookStore.buy(on: phone)
    try await fixture.withClient { client in
      #expect(try await client.redeem(coins, token: reader.token).status == 200)
      let reply = try await client.get(Self.path(.creditsOutstanding, "&from=2026-06"), token: fixture.operatorKey)
      let months = try #require(reply.list("series").first?["months"] as? [[String: Any]])
      let values = months.map { $0["values"] as? [String: Int64] }
      #expect(values == [["outstanding": 0, "owed": 0, "accounts": 0], ["outstanding": 5, "owed": 0, "accounts": 1]])
    }
  }
}

extension ServerFixture {
  /// Adds rows for which every chart has a value: a trial that became a paid subscription in EUR, one in USD, two of which the price is
  /// unknown, refunds of three of them, and credits.
  func addChartRows() async throws {
    let customer = try #require(CustomerID(try await reader().customer))
    let unit = try #require(CreditUnit(rawValue: "coins"))
    try await ledger.grant(.credits(unit, 7), to: customer, app: BookStore.app, key: "k", reason: "r", by: "olga")
    func date(_ text: String) throws -> StoreDate { try #require(StoreDate(typed: text)) }
    let periods: [(id: UInt64, claim: UInt64, from: StoreDate, until: StoreDate, price: Int64?, currency: String?)] = [
      (1, 1, try date("2026-05-25"), try date("2026-06-01"), 0, "EUR"),
      (2, 1, try date("2026-06-01"), try date("2026-07-01"), 9_000, "EUR"),
      (3, 3, try date("2026-06-01"), try date("2026-07-01"), 3_000, "USD"),
      (4, 4, try date("2026-06-20"), try date("2026-07-20"), nil, nil),
      (5, 5, try date("2026-05-10"), try date("2026-06-10"), nil, nil),
    ]
    let refunded = try date("2026-06-16")
    let refunds: [(id: UInt64, percentage: Int64)] = [(2, 50_000), (3, 100_000), (4, 100_000)]
    _ = try await ledger.database.write(locking: []) { transaction in
      for claim in [1, 3, 4, 5] as [UInt64] {
        try transaction.execute(
          """
          INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
          VALUES ($1, 'Production', $2, $3, 'club', 'Auto-Renewable Subscription', 1, 'PURCHASED', 0, 0)
          """, BookStore.app, TransactionID(claim), customer)
      }
      for period in periods {
        try transaction.execute(
          """
          INSERT INTO claim_period
            (app, environment, id, claim, product, purchased, access_until, stated, price, currency)
          VALUES ($1, 'Production', $2, $3, 'club', $4, $5, 0, $6, $7)
          """, BookStore.app, TransactionID(period.id), TransactionID(period.claim), period.from, period.until,
          period.price, period.currency)
      }
      for refund in refunds {
        try transaction.execute(
          """
          INSERT INTO statement (app, environment, id, revoked, date, percentage, stated, learnt)
          VALUES ($1, 'Production', $2, 1, $3, $4, 0, 0)
          """, BookStore.app, TransactionID(refund.id), refunded, refund.percentage)
      }
    }
  }
}
