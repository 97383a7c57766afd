import HTTPTransport
import StoreModel

/// Decides the next step of a verification after each answer of the store: ask the other environment, retry after a pause, or
/// end. It sends no requests itself and does not wait.
struct VerificationAttempt: Sendable {
  enum Step: Hashable, Sendable {
    /// Send the receipt to the other environment. ``VerificationAttempt/endpoint`` has already changed to it.
    case otherEndpoint
    /// Send the receipt again to ``VerificationAttempt/endpoint`` after a pause.
    case retry(afterMilliseconds: Int64)
    case end(Result<VerifiedAnswer, ProofRefusal>)
  }

  private let policy: VerifyReceiptPolicy
  private let environments: Set<StoreEnvironment>
  private var budget: RetryBudget
  private var sentOn: Set<StoreEnvironment> = []
  /// The environment of the next request. The first is production, if the app accepts production.
  private(set) var endpoint: StoreEnvironment

  /// - Parameters:
  ///   - environments: the environments that the app accepts.
  ///   - now: the time of a monotonic clock, in milliseconds. The policy's total timeout starts here.
  init(_ policy: VerifyReceiptPolicy, accepting environments: Set<StoreEnvironment>, now: Int64) {
    self.policy = policy
    self.environments = environments
    budget = RetryBudget(
      retries: policy.retries,
      pauses: RetryPauses(
        from: .milliseconds(policy.firstPauseMilliseconds), upTo: .milliseconds(policy.longestPauseMilliseconds)),
      answerTimeoutSeconds: policy.answerTimeoutSeconds, totalTimeoutSeconds: policy.totalTimeoutSeconds, now: now)
    endpoint = environments.contains(.production) ? .production : .sandbox
  }

  /// Returns the timeout of the next request, in milliseconds; nil if no time is left.
  func timeoutMilliseconds(at now: Int64) -> Int64? { budget.timeoutMilliseconds(at: now) }

  /// The result if the time is up, or if both environments redirect to each other.
  var unavailable: ProofRefusal { .storeUnavailable(retryAfterSeconds: policy.retryAfterSeconds) }

  /// Decides the next step.
  ///
  /// - Parameters:
  ///   - now: the time of a monotonic clock, in milliseconds.
  ///   - chance: returns a random number of the range.
  mutating func next(
    after reading: ReplyReading, now: Int64, chance: (ClosedRange<Int64>) -> Int64
  ) -> Step {
    switch reading {
    case .verified(let answer): return .end(.success(answer))
    case .refused(let refusal): return .end(.failure(refusal))
    case .belongs(let environment):
      guard environments.contains(environment) else {
        return .end(
          .failure(
            .wrongEnvironment(
              detail: "it is from the environment \(environment), which this app's policy does not accept")))
      }
      // Only one redirection to each environment is followed. Otherwise two environments could redirect to each other
      // forever.
      guard sentOn.insert(environment).inserted else { return .end(.failure(unavailable)) }
      endpoint = environment
      return .otherEndpoint
    case .failed(let finally, let wait):
      let later = ProofRefusal.storeUnavailable(retryAfterSeconds: max(policy.retryAfterSeconds, wait ?? 0))
      switch budget.next(waitMilliseconds: Int64(wait ?? 0) * 1_000, now: now, chance: chance) {
      case .retry(let milliseconds): return .retry(afterMilliseconds: milliseconds)
      case .noRetryLeft: return .end(.failure(finally ?? later))
      case .noTimeLeft: return .end(.failure(later))
      }
    }
  }
}
