import StoreModel

/// Decides what a verification does after each answer of the store: take the receipt to the other door, ask again after a
/// pause, or end. It neither asks nor waits itself.
struct VerificationAttempt: Sendable {
  enum Step: Hashable, Sendable {
    /// Ask at ``VerificationAttempt/door``, which is another one now.
    case otherDoor
    /// Ask again at ``VerificationAttempt/door``, after a pause.
    case retry(afterMilliseconds: Int64)
    case end(Result<VerifiedAnswer, ProofRefusal>)
  }

  private let policy: VerifyReceiptPolicy
  private let environments: Set<StoreEnvironment>
  /// Passing time, in milliseconds.
  private let deadline: Int64
  private var retries = 0
  private var sentOn: Set<StoreEnvironment> = []
  /// Where the receipt is taken next: production first, if the app accepts it at all.
  private(set) var door: StoreEnvironment

  /// - Parameters:
  ///   - environments: those the app accepts.
  ///   - now: passing time, in milliseconds; all must have ended the policy's total timeout after it.
  init(_ policy: VerifyReceiptPolicy, accepting environments: Set<StoreEnvironment>, now: Int64) {
    self.policy = policy
    self.environments = environments
    deadline = now + Int64(policy.totalTimeoutSeconds) * 1_000
    door = environments.contains(.production) ? .production : .sandbox
  }

  /// How long the next question may take, in milliseconds; nil if no time is left.
  func patience(at now: Int64) -> Int64? {
    let patience = min(Int64(policy.answerTimeoutSeconds) * 1_000, deadline - now)
    return patience > 0 ? patience : nil
  }

  /// How it ends where time is up, or the store does not get on with it.
  var unavailable: ProofRefusal { .storeUnavailable(retryAfterSeconds: policy.retryAfterSeconds) }

  /// - Parameters:
  ///   - now: passing time, in milliseconds.
  ///   - chance: draws a number of the range.
  mutating func next(
    after reading: ReplyReading, now: Int64, chance: (ClosedRange<Int64>) -> Int64
  ) -> Step {
    switch reading {
    case .statement(let statement): return .end(.success(statement))
    case .refused(let refusal): return .end(.failure(refusal))
    case .belongs(let environment):
      guard environments.contains(environment) else {
        return .end(
          .failure(
            .wrongEnvironment(
              detail: "it is from the environment \(environment), which this app's policy does not accept")))
      }
      // Each way once: two doors that send a receipt back and forth shall not do so for ever.
      guard sentOn.insert(environment).inserted else { return .end(.failure(unavailable)) }
      door = environment
      return .otherDoor
    case .failed(let finally, let wait):
      let later = ProofRefusal.storeUnavailable(retryAfterSeconds: max(policy.retryAfterSeconds, wait ?? 0))
      guard retries < policy.retries else { return .end(.failure(finally ?? later)) }
      retries += 1
      let pause = max(backoff(chance), Int64(wait ?? 0) * 1_000)
      guard now + pause < deadline else { return .end(.failure(later)) }
      return .retry(afterMilliseconds: pause)
    }
  }

  /// Doubled with each retry; one half of it is by chance.
  private func backoff(_ chance: (ClosedRange<Int64>) -> Int64) -> Int64 {
    let whole = min(policy.firstPauseMilliseconds << (retries - 1), policy.longestPauseMilliseconds)
    return whole - chance(0...whole / 2)
  }
}
