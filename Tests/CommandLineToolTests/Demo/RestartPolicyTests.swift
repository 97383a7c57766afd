import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(10))) struct RestartPolicyTests {
  @Test("A program that cannot live is started so often and no more; one that lived for a while is started again")
  func limit() {
    var policy = RestartPolicy(limit: 3, windowSeconds: 60)
    let outcomes = [0, 1, 2, 59, 60, 60.5, 61].map { policy.mayRestart(at: $0) }
    #expect(outcomes == [true, true, true, false, true, false, true])
  }
}
