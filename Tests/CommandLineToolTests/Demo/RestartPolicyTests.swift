import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(30))) struct RestartPolicyTests {
  @Test(
    "A program that ends at once is restarted a limited number of times; one that ran for a while is restarted again")
  func limit() {
    var policy = RestartPolicy(limit: 3, windowSeconds: 60)
    let outcomes = [0, 1, 2, 59, 60, 60.5, 61].map { policy.mayRestart(at: $0) }
    #expect(outcomes == [true, true, true, false, true, false, true])
  }
}
