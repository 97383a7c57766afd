import Foundation
import Testing

@testable import StoreModel

@Suite("The shared vocabulary", .timeLimit(.minutes(30)))
struct VocabularyTests {
  @Test("money is exact, and what does not fit is refused")
  func money() throws {
    #expect(Milliunits(1990).multiplied(by: 4) == Milliunits(7960))
    #expect(Milliunits(Int64.max).multiplied(by: 2) == nil)
    #expect(Milliunits(1990).decimal == Decimal(string: "1.99")!)
  }

  @Test(
    "a price reads as its storefront writes it",
    arguments: [("en_US", "USD", "$1.99"), ("de_DE", "EUR", "1,99\u{a0}€"), ("ja_JP", "JPY", "¥2")])
  func formatted(_ locale: String, _ currency: String, _ text: String) {
    let price = Price(amount: Milliunits(1990), currency: currency)
    #expect(price.formatted(locale: Locale(identifier: locale)) == text)
  }

  @Test("transaction ids are 1 to 20 decimal digits and ordered as numbers")
  func transactionIDs() {
    #expect(TransactionID(rawValue: "2000000000000001")?.number == 2_000_000_000_000_001)
    for text in ["", "12a", "-1", " 1", "１", String(repeating: "1", count: 21)] {
      #expect(TransactionID(rawValue: text) == nil, "\(text)")
    }
    #expect(TransactionID(9) < TransactionID(10))
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(TransactionID.self, from: Data(#""12a""#.utf8))
    }
  }

  @Test("periods are ISO 8601 durations of one unit")
  func periods() throws {
    #expect(CalendarPeriod(iso8601: "P1M") == CalendarPeriod(value: 1, unit: .month))
    for text in ["", "P", "P0M", "1M", "P1H", "P1M2D", "P-1M", "P1000Y", "P+1M"] {
      #expect(CalendarPeriod(iso8601: text) == nil, "\(text)")
    }
    let period = CalendarPeriod(value: 3, unit: .day)
    #expect(try JSONDecoder().decode(CalendarPeriod.self, from: JSONEncoder().encode(period)) == period)
  }

  @Test("dates are whole milliseconds, also before 1970, and stop at the ends of what can be counted")
  func dates() {
    #expect(StoreDate(Date(timeIntervalSince1970: 1.2345)).millisecondsSince1970 == 1235)
    let date = StoreDate(millisecondsSince1970: 1_790_000_000_123)
    #expect(StoreDate(date.date) == date)
    #expect(date.wholeSeconds.millisecondsSince1970 == 1_790_000_000_000)
    #expect(StoreDate(millisecondsSince1970: -1).wholeSeconds.millisecondsSince1970 == -1000)
    #expect(StoreDate(millisecondsSince1970: -2000).wholeSeconds.millisecondsSince1970 == -2000)
    #expect(StoreDate(Date(timeIntervalSince1970: 1e300)).millisecondsSince1970 == .max)
    #expect(date.adding(seconds: .max).millisecondsSince1970 == .max)
    #expect(date.adding(milliseconds: .min).millisecondsSince1970 < 0)
    #expect(date.description == "2026-09-21T14:13:20.123Z")
  }

  @Test("the same seed gives the same UUIDs, of version 4")
  func seeds() {
    var (first, second, other) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1), SeededGenerator(seed: 2))
    let uuid = UUID.version4(from: &first)
    #expect(uuid == UUID.version4(from: &second))
    #expect(uuid != UUID.version4(from: &other))
    #expect(uuid.uuidString.dropFirst(14).first == "4")
  }

  @Test("a code this version does not know never ends a payment that may have been charged")
  func refusals() {
    #expect(!StoreRefusal("somethingNew", "").endsPayment)
    #expect(!StoreRefusal(.temporarilyUnavailable, "").endsPayment)
    #expect(!StoreRefusal(.signInRequired, "").endsPayment)
    #expect(StoreRefusal(.paymentDeclined, "").endsPayment)
  }
}
