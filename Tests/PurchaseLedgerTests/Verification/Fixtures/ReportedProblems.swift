import Foundation

@testable import PurchaseLedger

/// The problems that a verifier reported.
final class ReportedProblems: @unchecked Sendable {
  private let lock = NSLock()
  private var reported: [VerificationProblem] = []

  var all: [VerificationProblem] { lock.withLock { reported } }

  @Sendable func add(_ problem: VerificationProblem) { lock.withLock { reported.append(problem) } }
}
