import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A date of verifyReceipt", .timeLimit(.minutes(30)))
struct DateTrioTests {
  struct Instant: Sendable, CustomTestStringConvertible {
    let milliseconds: Int64
    let gmt: String
    let pacific: String
    var testDescription: String { gmt }
  }

  static let instants = [
    Instant(milliseconds: 0, gmt: "1970-01-01 00:00:00", pacific: "1969-12-31 16:00:00"),
    Instant(milliseconds: -1000, gmt: "1969-12-31 23:59:59", pacific: "1969-12-31 15:59:59"),
    Instant(milliseconds: 1_375_340_400_000, gmt: "2013-08-01 07:00:00", pacific: "2013-08-01 00:00:00"),
    // The last second of winter time in 2026, and the first of summer time.
    Instant(milliseconds: 1_772_963_999_999, gmt: "2026-03-08 09:59:59", pacific: "2026-03-08 01:59:59"),
    Instant(milliseconds: 1_772_964_000_000, gmt: "2026-03-08 10:00:00", pacific: "2026-03-08 03:00:00"),
    // The local time 01:30 occurs twice on 2026-11-01.
    Instant(milliseconds: 1_793_521_800_000, gmt: "2026-11-01 08:30:00", pacific: "2026-11-01 01:30:00"),
    Instant(milliseconds: 1_793_525_400_000, gmt: "2026-11-01 09:30:00", pacific: "2026-11-01 01:30:00"),
    // A leap day.
    Instant(milliseconds: 1_835_395_200_000, gmt: "2028-02-29 00:00:00", pacific: "2028-02-28 16:00:00"),
  ]

  @Test("G1 is written three times: GMT, milliseconds, and Pacific time with daylight saving", arguments: instants)
  func trio(instant: Instant) {
    var fields: [(String, String)] = []
    DateTrio(StoreDate(millisecondsSince1970: instant.milliseconds)).put(.purchase) { fields.append(("\($0)", $1)) }
    #expect(fields.map(\.0) == ["purchase_date", "purchase_date_ms", "purchase_date_pst"])
    #expect(
      fields.map(\.1) == [
        "\(instant.gmt) Etc/GMT", "\(instant.milliseconds)", "\(instant.pacific) America/Los_Angeles",
      ])
  }
}
