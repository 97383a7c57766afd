import Foundation
import PurchaseTesting
import StoreKitTest
import Testing

/// The lengths of one time rate in seconds, as storekittest.md, "Time rates", has them. Nil is the length in the calendar.
struct RateLengths: Sendable, CustomTestStringConvertible {
  let rate: SKTestSession.TimeRate
  let week: Int?
  let month: Int?
  let year: Int?
  let weeklyGrace: Int
  let otherGrace: Int
  let retry: Int

  var testDescription: String { "\(rate)" }

  static let all: [RateLengths] = [
    .init(
      rate: .realTime, week: nil, month: nil, year: nil, weeklyGrace: 518_400, otherGrace: 1_382_400, retry: 5_184_000),
    .init(
      rate: .monthlyRenewalEveryHour, week: 900, month: 3_600, year: 43_200, weeklyGrace: 771, otherGrace: 1_800,
      retry: 7_200),
    .init(
      rate: .monthlyRenewalEveryThirtyMinutes, week: 600, month: 1_800, year: 21_600, weeklyGrace: 514, otherGrace: 900,
      retry: 3_600),
    .init(
      rate: .monthlyRenewalEveryFifteenMinutes, week: 300, month: 900, year: 10_800, weeklyGrace: 257, otherGrace: 450,
      retry: 1_800),
    .init(
      rate: .monthlyRenewalEveryFiveMinutes, week: 180, month: 300, year: 3_600, weeklyGrace: 154, otherGrace: 150,
      retry: 600),
    .init(
      rate: .monthlyRenewalEveryThirtySeconds, week: 10, month: 30, year: 360, weeklyGrace: 9, otherGrace: 15, retry: 60
    ),
    .init(
      rate: .oneRenewalEveryFifteenMinutes, week: 900, month: 900, year: 900, weeklyGrace: 900, otherGrace: 900,
      retry: 1_800),
    .init(
      rate: .oneRenewalEveryFiveMinutes, week: 300, month: 300, year: 300, weeklyGrace: 300, otherGrace: 300, retry: 600
    ),
    .init(rate: .oneRenewalEveryMinute, week: 60, month: 60, year: 60, weeklyGrace: 60, otherGrace: 60, retry: 120),
    .init(
      rate: .oneRenewalEveryThirtySeconds, week: 30, month: 30, year: 30, weeklyGrace: 30, otherGrace: 30, retry: 60),
    .init(rate: .oneRenewalEveryTenSeconds, week: 10, month: 10, year: 10, weeklyGrace: 10, otherGrace: 10, retry: 20),
    .init(rate: .oneRenewalEveryTwoSeconds, week: 2, month: 2, year: 2, weeklyGrace: 2, otherGrace: 2, retry: 4),
    // The older rates: a day lasts as long as the name says.
    .init(
      rate: .oneHourIsOneDay, week: 25_200, month: nil, year: nil, weeklyGrace: 21_600, otherGrace: 57_600,
      retry: 216_000),
    .init(
      rate: .thirtyMinutesIsOneDay, week: 12_600, month: nil, year: nil, weeklyGrace: 10_800, otherGrace: 28_800,
      retry: 108_000),
    .init(
      rate: .fiveMinutesIsOneDay, week: 2_100, month: nil, year: nil, weeklyGrace: 1_800, otherGrace: 4_800,
      retry: 18_000),
    .init(rate: .oneMinuteIsOneDay, week: 420, month: nil, year: nil, weeklyGrace: 360, otherGrace: 960, retry: 3_600),
    .init(
      rate: .thirtySecondsIsOneDay, week: 210, month: nil, year: nil, weeklyGrace: 180, otherGrace: 480, retry: 1_800),
    .init(rate: .oneSecondIsOneDay, week: 7, month: nil, year: nil, weeklyGrace: 6, otherGrace: 16, retry: 60),
  ]
}

@Suite("SKTestSession: time rates, exact under virtual time", .isolatedStore, .timeLimit(.minutes(30)))
struct TimeRateTests {
  let shop: Session
  private var bed: TestBed { shop.session.testBed }

  init() throws {
    shop = try Session()
    try shop.session.testBed.setClockRate(0)
  }

  /// Buys a product with a rate, lets it renew once to the second, and then checks grace period and retry.
  private func check(_ product: String, lasts length: Int?, grace: Int, _ lengths: RateLengths) async throws {
    shop.session.timeRate = lengths.rate
    #expect(shop.session.timeRate == lengths.rate)
    let first = try await shop.buy(product)
    await first.finish()
    let end = try #require(first.expirationDate)
    if let length { #expect(Int(end.timeIntervalSince(first.purchaseDate)) == length) }
    try bed.advance(to: end.addingTimeInterval(-0.001))
    #expect(shop.session.allTransactions().count == 1)
    try bed.advance(by: .milliseconds(1))
    #expect(shop.session.allTransactions().count == 2)

    shop.session.shouldEnterBillingRetryOnRenewal = true
    shop.session.billingGracePeriodIsEnabled = true
    let second = try #require(shop.session.allTransactions().last?.expirationDate)
    try bed.advance(to: second)
    #expect(try await shop.state() == .inGracePeriod)
    // A second before, because each signature has a date of its own, a millisecond after the last one.
    try bed.advance(by: .seconds(grace - 1))
    #expect(try await shop.state() == .inGracePeriod)
    try bed.advance(by: .seconds(1))
    // The retry began with the grace period. For the rates with a fixed length, it is longer than that.
    #expect(try await shop.state() == .inBillingRetryPeriod)
    try bed.advance(by: .seconds(lengths.retry - grace - 1))
    #expect(try await shop.state() == .inBillingRetryPeriod)
    try bed.advance(by: .seconds(1))
    #expect(try await shop.state() == .expired)
  }

  @Test("T12 A weekly subscription", arguments: RateLengths.all)
  func weekly(_ lengths: RateLengths) async throws {
    try await check("silver.weekly", lasts: lengths.week, grace: lengths.weeklyGrace, lengths)
  }

  @Test("T12 A monthly subscription", arguments: RateLengths.all)
  func monthly(_ lengths: RateLengths) async throws {
    try await check("silver.monthly", lasts: lengths.month, grace: lengths.otherGrace, lengths)
  }

  @Test("T12 A yearly subscription", arguments: RateLengths.all)
  func yearly(_ lengths: RateLengths) async throws {
    try await check("silver.yearly", lasts: lengths.year, grace: lengths.otherGrace, lengths)
  }
}
