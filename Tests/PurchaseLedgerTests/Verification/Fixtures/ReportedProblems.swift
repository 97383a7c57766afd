import Foundation
import StoreModel

@testable import PurchaseLedger

/// The problems that a verifier reported.
final class ReportedProblems: Sendable {
  private let reported = LockedValue<[VerificationProblem]>([])

  var all: [VerificationProblem] { reported.value }

  @Sendable func add(_ problem: VerificationProblem) { reported.withLock { $0.append(problem) } }
}
