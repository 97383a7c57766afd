import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit clock", .timeLimit(.minutes(30)))
struct ClockCommandTests {
  @Test("shows the clock, advances it by a duration and to a date, and changes its rate")
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
    "wrong usage is exit status 2",
    arguments: [
      ["advance"], ["advance", "soon"], ["set", "soon"], ["rate", "-1"], ["rate", "1000001"], ["rate", "fast"],
      ["stop"],
    ])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["clock"] + arguments).status == 2)
  }
}
