import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Charges and refunds over the store's time", .timeLimit(.minutes(30)))
struct SalesHistoryTests {
  private static let hour: Int64 = 3_600

  private func purchase(_ product: ProductID = TeaShop.oolong, in shop: TeaShop) async throws -> TransactionID {
    try await shop.store.purchase(product, of: TeaShop.app, for: TeaShop.customer, in: .sandbox).record.transactionID
  }

  @Test("each interval has its charges, purchases and refunds, by currency")
  func entries() async throws {
    let shop = try await TeaShop()
    #expect(SalesHistory(try await shop.store.sales()).entries.isEmpty)
    let first = try await purchase(in: shop)
    _ = try await purchase(TeaShop.teapot, in: shop)
    shop.clock.advance(seconds: 2 * Self.hour)
    try await shop.store.refund(first)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "DEU" }
    _ = try await purchase(TeaShop.sencha, in: shop)
    let sales = SalesHistory(try await shop.store.sales())
    #expect(sales.intervalHours == 1)
    let noon = StoreDate("2026-07-01T12:00:00Z")
    #expect(
      sales.entries == [
        .init(start: noon, currency: "USD", purchases: 2, charged: Milliunits(25_990), refunded: .zero),
        .init(
          start: noon.adding(seconds: 2 * Self.hour), currency: "EUR", purchases: 1, charged: Milliunits(800),
          refunded: .zero),
        .init(
          start: noon.adding(seconds: 2 * Self.hour), currency: "USD", purchases: 0, charged: .zero,
          refunded: Milliunits(1_990)),
      ])
    #expect(
      SalesHistory(try await shop.store.sales(RecordFilter(productID: TeaShop.sencha))).entries.map(\.currency) == [
        "EUR"
      ])
    #expect(
      SalesHistory(try await shop.store.sales(RecordFilter(state: .refunded))).entries.map(\.charged.rawValue) == [
        1_990, 0,
      ])
    #expect(SalesHistory(try await shop.store.sales(RecordFilter(before: 1))) == sales)
  }

  @Test(
    "there are at most 60 intervals, of the shortest length for which that is so",
    arguments: [
      (59, 1), (60, 6), (24 * 59, 24), (24 * 60, 168), (24 * 365 * 36, 8_760),
    ] as [(Int64, Int64)])
  func lengths(hours: Int64, length: Int64) async throws {
    let shop = try await TeaShop(opening: StoreDate("2026-07-02T00:00:00Z"))
    _ = try await purchase(in: shop)
    shop.clock.advance(seconds: hours * Self.hour)
    _ = try await purchase(in: shop)
    let sales = SalesHistory(try await shop.store.sales())
    #expect(sales.intervalHours == length)
    let starts = sales.entries.map(\.start.millisecondsSince1970)
    #expect(starts.count == 2)
    #expect((starts[1] - starts[0]) / (length * 3_600_000) < SalesHistory.largestNumber)
  }

  @Test("sums that are continued are those that are read at once, also after a reset")
  func continued() async throws {
    let shop = try await TeaShop()
    var sales: HourlySales?
    for number in 0..<5 {
      let id = try await purchase(in: shop)
      if number.isMultiple(of: 2) { try await shop.store.refund(id) }
      shop.clock.advance(seconds: Self.hour / 2)
      sales = try await shop.store.sales(continuing: sales)
      #expect(try await shop.store.sales() == sales)
    }
    try await shop.store.reset()
    _ = try await purchase(in: shop)
    sales = try await shop.store.sales(continuing: sales)
    #expect(try await shop.store.sales() == sales)
    #expect(sales.map { SalesHistory($0).entries.map(\.purchases) } == [1])
  }

  @Test("sums are exact, also those with more digits than a floating-point number has, and negative ones")
  func exact() async throws {
    let shop = try await TeaShop()
    for _ in 0..<3 { try await shop.store.refund(try await purchase(in: shop)) }
    // A double has 53 bits.
    for amount in [1 << 53 + 1, 1 << 61 + 1, 3, .max / 3] as [Int64] {
      try await shop.store.database.write { work in
        try work.database.execute(sql: "UPDATE charge SET amount = ?", arguments: [amount])
        try work.database.execute(sql: "UPDATE refund SET amount = ?", arguments: [-amount])
      }
      let entry = try #require(SalesHistory(try await shop.store.sales()).entries.first)
      #expect((entry.charged.rawValue, entry.refunded.rawValue) == (3 * amount, -3 * amount))
      try await shop.store.database.write { try $0.database.execute(sql: "UPDATE refund SET amount = 0") }
      let spent = try await shop.store.totals(of: TeaShop.customer, .sandbox).spent
      #expect(spent.map(\.amount.rawValue) == [3 * amount])
    }
  }

  @Test("sums that do not fit are clamped: many charges of the highest price end no program")
  func clamped() async throws {
    let shop = try await TeaShop()
    let highest = Milliunits(.max / 2)
    var sales = HourlySales(epoch: shop.store.epoch)
    for _ in 0..<4 {
      sales.sums[HourlySales.Key(hour: 1, currency: "USD"), default: HourlySales.Sums()] +=
        HourlySales.Sums(purchases: 1, charged: highest, refunded: Milliunits(-highest.rawValue))
    }
    let entry = try #require(SalesHistory(sales).entries.first)
    #expect((entry.charged.rawValue, entry.refunded.rawValue) == (.max, .min))
    // The database's sums do not fail either.
    _ = try await purchase(in: shop)
    _ = try await purchase(in: shop)
    try await shop.store.database.write { try $0.database.execute(sql: "UPDATE charge SET amount = \(Int64.max)") }
    #expect(SalesHistory(try await shop.store.sales()).entries.map(\.charged.rawValue) == [.max])
    let totals = try await shop.store.totals(of: TeaShop.customer, .sandbox)
    #expect(totals.spent.map(\.amount.rawValue) == [.max])
  }
}
