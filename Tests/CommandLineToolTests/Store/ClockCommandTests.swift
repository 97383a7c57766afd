import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit clock", .timeLimit(.minutes(5)))
struct ClockCommandTests {
  @Test("shows the clock, puts it forward by a span and to a date, and changes its rate")
  func moves() async throws {
    try await RunningStore.open { store in
      #expect(try await store.run("clock").lines == ["2026-07-01 12:00:00Z, goes with real time"])
      #expect(try await store.run("clock", "advance", "1d12h").lines == ["2026-07-03 00:00:00Z, goes with real time"])
      #expect(try await store.run("clock", "rate", "0").lines == ["2026-07-03 00:00:00Z, stands still"])
      #expect(try await store.run("clock", "set", "2026-12-24").lines == ["2026-12-24 00:00:00Z, stands still"])
      let run = try await store.run("clock", "rate", "2.5", "--json")
      #expect(run.json?["rate"] as? Double == 2.5)
      #expect(run.json?["now"] as? Int64 == 1_798_070_400_000)
      #expect(try await store.run("clock", "show").lines == ["2026-12-24 00:00:00Z, 2.5 times as fast as real time"])
      let back = try await store.run("clock", "set", "2026-01-01")
      #expect(back.status == 1 && back.messages.contains("2026-01-01"))
      #expect(try await store.store.clockReading().rate == 2.5)
    }
  }

  @Test(
    "spans are read with their units, and nothing else is",
    arguments: [
      ("250ms", 250), ("45s", 45_000), ("90m", 5_400_000), ("36h", 129_600_000), ("1d12h30m", 131_400_000),
      ("2w", 1_209_600_000), ("0s", 0), ("", nil), ("12", nil), ("d", nil), ("-1d", nil), ("1.5h", nil), ("1 d", nil),
      ("1y", nil), ("1D", nil), ("٣d", nil), ("9223372036854775807ms", .max), ("9223372036854775808ms", nil),
      ("9223372036854775807s", nil), ("9223372036854775807ms1ms", nil),
    ] as [(String, Int64?)])
  func spans(text: String, milliseconds: Int64?) {
    #expect(DurationText(text)?.milliseconds == milliseconds)
  }

  @Test(
    "dates are read in UTC unless they say otherwise",
    arguments: [
      ("2026-12-24", 1_798_070_400_000), ("2026-12-24T18:00:00Z", 1_798_135_200_000),
      ("2026-12-24 18:00:00", 1_798_135_200_000), ("2026-12-24t18:00:00z", 1_798_135_200_000),
      ("2026-12-24T18:00:00+02:00", 1_798_128_000_000), ("2026-12-24T18:00:00-02:00", 1_798_142_400_000),
      ("2026-12-24T18:00:00.250Z", 1_798_135_200_250), ("yesterday", nil), ("", nil), ("2026-13-01", nil),
      ("1798135200000", nil), ("2026-12-24T25:00:00Z", nil), ("2026-02-30", nil),
    ] as [(String, Int64?)])
  func dates(text: String, milliseconds: Int64?) {
    #expect(StoreDate(typed: text)?.millisecondsSince1970 == milliseconds)
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [
      ["advance"], ["advance", "soon"], ["set", "soon"], ["rate", "-1"], ["rate", "1000001"], ["rate", "fast"],
      ["stop"],
    ])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["clock"] + arguments).status == 2)
  }
}
