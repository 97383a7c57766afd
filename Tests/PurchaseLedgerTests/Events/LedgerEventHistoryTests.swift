import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Random histories of a ledger, after which the records that the events alone rebuild must be those of the ledger.
///
/// `EVENT_STEPS` is the number of steps of each history (`make prove`: 2,000), `EVENT_SEED` the first seed.
@Suite("The events have everything", .timeLimit(.minutes(EventSettings.isLong ? 240 : 30)))
struct LedgerEventHistoryTests {
  @Test("rebuilt from the events alone, the ledger is the same", arguments: LedgerEngine.allCases)
  func rebuilt(_ engine: LedgerEngine) async throws {
    var counts: [String: Int] = [:]
    for seed in EventSettings.seeds {
      var history = try await RandomLedger(seed: seed, engine)
      for _ in 0..<EventSettings.steps { try await history.step() }
      let ledger = history.fixture.ledger
      let events = try await LedgerReplay.events(of: ledger)
      let replay = try LedgerReplay(events)
      let differences = try await replay.differences(from: history.fixture.database)
      if !differences.isEmpty {
        Issue.record("seed \(seed) on \(engine):\n\(differences.prefix(20).joined(separator: "\n"))")
      }
      counts.merge(replay.counts) { $0 + $1 }
      #expect(!events.contains { $0.isFilledIn })
      // Each limit gives the same sequence.
      for limit in [1, 2, 7, 100] where seed == EventSettings.seeds[0] {
        #expect(try await LedgerReplay.events(of: ledger, limit: limit).map(\.cursor) == events.map(\.cursor))
      }
      try await history.fixture.checkBalances()
      try await history.fixture.database.close()
    }
    // The histories have every kind that changes records, so that nothing is equal only because it never happened.
    for kind in LedgerEventKind.allCases where ![.incarnationBegan, .purchaseRefundRequested].contains(kind) {
      #expect(counts[kind.rawValue, default: 0] > 0, "\(kind.rawValue) never happened: \(counts)")
    }
  }
}

private enum EventSettings {
  private static let environment = ProcessInfo.processInfo.environment
  static let isLong = environment["EVENT_STEPS"] != nil
  static let steps = environment["EVENT_STEPS"].flatMap { Int($0) } ?? 150
  static let seeds: [UInt64] = {
    let first = environment["EVENT_SEED"].flatMap { UInt64($0) } ?? 1
    return (first..<first + 6).map { $0 }
  }()
}
