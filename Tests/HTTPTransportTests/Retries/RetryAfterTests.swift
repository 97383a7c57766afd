import HTTPTransport
import StoreModel
import Testing

@Suite("Retry-After", .timeLimit(.minutes(30)))
struct RetryAfterTests {
  static let date = "Wed, 01 Jul 2026 12:00:00 GMT"

  @Test(
    "it can be seconds, a date, or UNIX milliseconds; the latter two are compared with the answer's own Date",
    arguments: [
      ("0", 0), ("17", 17), (" 17 ", 17), ("3600", 3_600), ("3601", 3_600), ("99999999999", 3_600),
      ("999999999999999999999999", 3_600),
      ("Wed, 01 Jul 2026 12:02:00 GMT", 120), ("Wed, 01 Jul 2026 11:00:00 GMT", 0),
      ("Thu, 02 Jul 2026 12:00:00 GMT", 3_600), ("1782907230000", 30), ("1782907200001", 1),
    ] as [(String, Int)])
  func read(header: String, seconds: Int) { #expect(RetryAfter.seconds(header, date: Self.date) == seconds) }

  @Test(
    "an invalid value is ignored", arguments: ["", "soon", "-5", "1.5", "٣", "2026-07-01T12:00:00Z"])
  func unreadable(header: String) { #expect(RetryAfter.seconds(header, date: Self.date) == nil) }

  @Test("a date without the answer's own Date is compared with the clock that the caller passes")
  func passedClock() {
    let now = StoreDate(millisecondsSince1970: 1_782_907_200_000)
    #expect(RetryAfter.seconds("1782907230000", date: nil, now: now) == 30)
    #expect(RetryAfter.seconds("1782907230000", date: Self.date, now: now.adding(seconds: 20)) == 30)
  }

  @Test("no date is compared with this machine's clock")
  func noDate() {
    #expect(RetryAfter.seconds(nil, date: Self.date) == nil)
    for date in [nil, "", "today"] {
      #expect(RetryAfter.seconds("Wed, 01 Jul 2026 12:02:00 GMT", date: date) == nil)
      #expect(RetryAfter.seconds("1782907230000", date: date) == nil)
      #expect(RetryAfter.seconds("5", date: date) == 5)
    }
  }
}
