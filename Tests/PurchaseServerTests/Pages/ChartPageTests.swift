import APIDescription
import Foundation
import HTTPTypes
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import PurchaseServer

@Suite("The operator's page of charts", .timeLimit(.minutes(30)))
struct ChartPageTests {
  private static let texts: [ChartName: [String]] = [
    .recurringRevenue: ["9.00 EUR", "4.50 EUR", "3.00 USD", "price unknown"],
    .refunds: ["4.50 EUR", "3.00 USD", "price unknown"], .trialsToPaid: ["100 %"], .churn: ["Share lost"],
    .activeSubscriptions: ["Active subscriptions by month"], .creditsOutstanding: ["coins", "7"],
  ]

  private static func address(_ name: ChartName, _ query: String = "") -> String {
    "/operator/charts?app=\(BookStore.app)&chart=\(name.rawValue)\(query)"
  }

  @Test(
    "each chart has its definition, a drawing with a name, and a table with the numbers", arguments: ChartName.allCases)
  func whole(_ name: ChartName) async throws {
    let fixture = try await ServerFixture()
    try await fixture.addChartRows()
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      try await check(session.page(Self.address(name, "&from=2026-05")), of: name)
    }
  }

  private func check(_ page: HTMLCheck, of name: ChartName) {
    #expect(page.text.contains(name.definition))
    for column in name.columns { #expect(page.text.contains(column.title) && page.text.contains(column.definition)) }
    let current = page.elements.filter { $0.name == "a" && $0.attributes["aria-current"] == "page" }
    #expect(current.contains { $0.attributes["href"]?.contains("chart=\(name.rawValue)") == true })
    let drawings = page.elements.filter { $0.name == "svg" && $0.attributes["class"] == "chart" }
    #expect(!drawings.isEmpty && drawings.allSatisfy { $0.attributes["role"] == "img" })
    #expect(drawings.allSatisfy { $0.attributes["aria-labelledby"] != nil })
    #expect(page.elements.contains { $0.name == "rect" })
    let tables = page.elements.filter { $0.name == "table" }
    #expect(tables.count == drawings.count)
    for month in ["2026-05", "2026-06", "2026-07"] { #expect(page.text.contains(month)) }
    for text in Self.texts[name, default: []] { #expect(page.text.contains(text), "\(text)") }
  }

  @Test("a filter shows one currency; where there is no environment or currency, there is no field for it")
  func filter() async throws {
    let fixture = try await ServerFixture()
    try await fixture.addChartRows()
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      // Small letters are as good.
      let page = try await session.page(Self.address(.recurringRevenue, "&from=2026-06&until=2026-06&currency=usd"))
      #expect(page.text.contains("USD") && !page.text.contains("EUR"))
      let other = page.elements.compactMap { $0.attributes["href"] }.first { $0.contains("chart=churn") }
      #expect(other == "/operator/charts?app=com.example.reader&chart=churn&from=2026-06&until=2026-06")
      for name in ChartName.allCases {
        let fields = try await session.page(Self.address(name)).elements.compactMap { $0.attributes["name"] }
        #expect(fields.contains("environment") == (name != .creditsOutstanding), "\(name)")
        #expect(fields.contains("currency") == [.recurringRevenue, .refunds].contains(name), "\(name)")
      }
      let sandbox = try await session.page(Self.address(.refunds, "&environment=Sandbox"))
      #expect(sandbox.text.contains("There is nothing in these months."))
    }
  }

  @Test("what cannot be shown is refused on a page, with the reason")
  func refused() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      let session = try await PageSession(client, key: fixture.operatorKey)
      let queries: [(query: String, status: Int, text: String)] = [
        ("&from=2030-01", 422, "2026-07"), ("&currency=%3Cb%3E", 422, "currency"),
        ("&environment=Xcode", 400, "Sandbox"), ("&until=x", 400, "until"),
      ]
      for (query, status, text) in queries {
        let reply = try await session.get(Self.address(.activeSubscriptions, query))
        #expect(reply.status == status, "\(query): \(reply.status)")
        #expect(try HTMLCheck(reply.text).text.contains(text), "\(query): \(reply.text)")
      }
    }
  }

  @Test("values below 0 are drawn downwards, and all bars are inside the drawing; without values there is no bar")
  func drawing() throws {
    func rects(_ values: [[Int64]]) throws -> [(y: Double, height: Double)] {
      let parts = values.map { ChartDrawing.Part(title: "part", values: $0) }
      let months = (0..<(values.first?.count ?? 0)).map { "2026-0\($0 + 1)" }
      let drawing = ChartDrawing(id: "d", title: "A & B", months: months, parts: parts, text: { "\($0)" })
      let page = try HTMLCheck("<!DOCTYPE html>\n<div>\(drawing.html.text)</div>")
      return try page.elements.filter { $0.name == "rect" }.map { rect in
        let (y, height) = (
          rect.attributes["y"].flatMap { Double($0) }, rect.attributes["height"].flatMap { Double($0) }
        )
        return (try #require(y), try #require(height))
      }
    }
    let two = try rects([[10, -5, 0], [20, 0, 1]])
    #expect(two.count == 4)
    for bar in two { #expect(bar.y >= 15.9 && bar.y + bar.height <= 224.1 && bar.height > 0) }
    // The second part of the first month is on top of the first one; the bar below 0 begins at the base line.
    #expect(abs(two[0].y - (two[1].y + two[1].height)) < 0.1)
    #expect(abs(two[2].y - (two[0].y + two[0].height)) < 0.1)
    #expect(try rects([[0, 0]]).isEmpty)
    #expect(try rects([[Int64.max, Int64.max], [Int64.max, -Int64.max]]).count == 4)
  }
}
