import SharedFixtures
import StoreModel
import Testing

@Suite("Shared runs", .timeLimit(.minutes(30)))
struct SharedRunsTests {
  @Test("concurrent callers share a run, and none receives one that began before its call")
  func concurrent() async {
    let (runs, gate) = (SharedRuns<Int>(), Gate())
    let (begun, called) = (LockedValue(0), LockedValue(0))
    let work: @Sendable () async -> Int = {
      let number = begun.withLock { count in
        count += 1
        return count
      }
      await gate.pass()
      return number
    }
    let first = Task { await runs.value(of: work) }
    await gate.untilCallerWaits()
    let later = (0..<10).map { _ in
      Task {
        called.withLock { $0 += 1 }
        return await runs.value(of: work)
      }
    }
    while called.value < 10 { await Task.yield() }
    // Those that do not wait as they should go on.
    for _ in 0..<200 { await Task.yield() }
    await gate.open()
    #expect(await first.value == 1)
    for task in later { #expect(await task.value >= 2) }
    #expect(begun.value < 11)
  }
}
