import HTTPTransport
import StoreModel
import Testing

@Suite("The retries of one call", .timeLimit(.minutes(30)))
struct RetryBudgetTests {
  private func budget(retries: Int = 3, seconds: Int = 25) -> RetryBudget {
    RetryBudget(
      retries: retries, pauses: RetryPauses(from: .milliseconds(250), upTo: .milliseconds(600)),
      answerTimeoutSeconds: 10, totalTimeoutSeconds: seconds, now: 1_000)
  }

  @Test("pauses double up to the longest, up to half of each is random, and the number of retries is limited")
  func pauses() {
    var whole = budget()
    var half = budget()
    for pause in [250, 500, 600] as [Int64] {
      #expect(whole.next(now: 1_000) { $0.lowerBound } == .retry(afterMilliseconds: pause))
      #expect(half.next(now: 1_000) { $0.upperBound } == .retry(afterMilliseconds: pause / 2))
    }
    #expect(whole.next(now: 1_000) { $0.lowerBound } == .noRetryLeft)
  }

  @Test("a pause is at least what the server asked for, and never ends after the total timeout")
  func time() {
    var budget = budget()
    #expect(budget.next(waitMilliseconds: 3_000, now: 1_000) { _ in 0 } == .retry(afterMilliseconds: 3_000))
    #expect(budget.timeoutMilliseconds(at: 4_000) == 10_000)
    #expect(budget.timeoutMilliseconds(at: 25_000) == 1_000)
    #expect(budget.next(waitMilliseconds: 1_000, now: 25_000) { _ in 0 } == .noTimeLeft)
    #expect(budget.timeoutMilliseconds(at: 26_000) == nil)
  }
}
