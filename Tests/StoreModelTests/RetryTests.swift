import SharedFixtures
import StoreModel
import Testing

@Suite("Pauses between retries", .timeLimit(.minutes(30)))
struct RetryTests {
  @Test("a pause is the one before it, multiplied by the factor, up to the longest")
  func formula() {
    let factors = [
      (1, [20, 20, 20, 20, 20]), (2, [20, 40, 80, 160, 200]), (3, [20, 60, 180, 200, 200]),
      (11, [20, 200, 200, 200, 200]),
    ]
    for (factor, milliseconds) in factors {
      let pauses = RetryPauses(from: .milliseconds(20), factor: factor, upTo: .milliseconds(200))
      #expect((1...5).map(pauses.pause(afterFailures:)) == milliseconds.map(Duration.milliseconds))
      #expect(pauses.pause(afterFailures: .max) == .milliseconds(factor == 1 ? 20 : 200))
      #expect(pauses.pause(afterFailures: .min) == .milliseconds(20))
    }
  }

  @Test("no number of failures makes a pause that a duration cannot hold")
  func enormous() {
    let longest = Duration.seconds(Int64.max)
    for factor in [2, 10, Int.max] {
      let pauses = RetryPauses(from: .seconds(1), factor: factor, upTo: longest)
      #expect(pauses.pause(afterFailures: .max) == longest)
    }
  }

  @Test("the pauses of a device end at a minute, those of an app at half of one")
  func presets() {
    let seconds = [1, 2, 4, 8, 16, 32, 60, 60].map(Duration.seconds)
    #expect((1...8).map(RetryPauses.upToAMinute.pause(afterFailures:)) == seconds)
    #expect((1...8).map(RetryPauses.upToHalfAMinute.pause(afterFailures:)) == seconds.map { min($0, .seconds(30)) })
  }

  @Test("a pause is at least one millisecond, whatever the setting", arguments: [(-5, 1), (0, 1), (1, 1), (20, 20)])
  func shortest(asked: Int, milliseconds: Int) {
    let pauses = RetryPauses(always: .milliseconds(asked))
    #expect([1, 2, 60].map(pauses.pause(afterFailures:)) == Array(repeating: .milliseconds(milliseconds), count: 3))
  }

  @Test("at most half of a random pause is random")
  func random() {
    var generator = SeededGenerator(seed: 1)
    let pauses = RetryPauses(from: .milliseconds(20), upTo: .milliseconds(500))
    for (failures, longest) in [20, 40, 80, 160, 320, 500, 500].enumerated() {
      let drawn = (0..<200).map { _ in
        Int(pauses.randomPause(afterFailures: failures + 1, using: &generator) / .milliseconds(1))
      }
      #expect(drawn.allSatisfy { (longest / 2...longest).contains($0) })
      #expect(Set(drawn).count > 5)
    }
    #expect(pauses.randomPause(afterFailures: .max, using: &generator) <= .milliseconds(500))
  }

  @Test("a wait takes the pause on its clock, and ends with its task")
  func wait() async throws {
    let clock = SteppedClock()
    let retry = TimedRetry(.upToHalfAMinute, clock: clock)
    let released = Task { try await retry.wait(afterFailures: 1) }
    #expect(await clock.nextSleep() == .seconds(1))
    clock.release()
    try await released.value
    let cancelled = Task { try await retry.wait(afterFailures: 4) }
    #expect(await clock.nextSleep() == .seconds(8))
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}
