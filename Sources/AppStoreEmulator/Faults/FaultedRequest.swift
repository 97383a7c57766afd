import SignedData
import StoreModel

/// A request to which a fault applies, with everything that a fault can do to it.
public struct FaultedRequest<Answer: Sendable>: Sendable {
  public let metadata: RequestMetadata
  /// The error with which the request's API reports that the store is unavailable.
  public let unavailable: any Error
  let strike: FaultStrike
  let faults: ActiveFaults
  let caller: (any StoreCaller)?
  /// The date of the machine's clock.
  let machineDate: StoreDate
  let perform: @Sendable (RequestConditions) async throws -> Answer
  let refuse: @Sendable (any Error) async throws -> Answer

  /// Carries the request out.
  ///
  /// - Parameter chain: the certificates with which the store signs meanwhile.
  public func answer(signedWith chain: SigningChain = .valid) async throws -> Answer {
    try await perform(RequestConditions(chain: chain))
  }

  /// Carries the request out. The store makes the device proofs in its answer for another device.
  public func answerForAnotherDevice() async throws -> Answer {
    try await perform(RequestConditions(isForAnotherDevice: true))
  }

  /// Carries the request out with another date for tokens and certificates.
  ///
  /// - Parameter milliseconds: how far the date is ahead of the machine's clock.
  public func answer(withClockAhead milliseconds: Int64) async throws -> Answer {
    try await perform(RequestConditions(clockAheadMilliseconds: milliseconds))
  }

  /// Carries the request out, and returns its answer as `change` leaves it. An answer of another type is not changed.
  public func answer<Value>(_ change: (inout Value) -> Void) async throws -> Answer {
    let answer = try await answer()
    guard var value = answer as? Value else { return answer }
    change(&value)
    return value as? Answer ?? answer
  }

  /// Carries the request out, and returns its answer or its error.
  public func result() async -> Result<Answer, any Error> {
    do { return .success(try await answer()) } catch { return .failure(error) }
  }

  /// Lets the request fail with `error`. If it refuses a confirmation, the refusal is stored as the payment's outcome.
  public func fail(with error: any Error) async throws -> Answer { try await refuse(error) }

  /// Returns `value` as the answer without carrying the request out. If the request has another type of answer, carries it
  /// out instead.
  public func answer(with value: any Sendable) async throws -> Answer {
    if let answer = value as? Answer { return answer }
    return try await answer()
  }

  /// Waits until the fault is released or removed.
  ///
  /// - Throws: an error if the caller stops waiting, or the store is closed.
  public func untilReleased() async throws { try await wait(milliseconds: nil) }

  /// Waits for a time of the machine's clock. Releasing or removing the fault ends the wait.
  ///
  /// - Throws: an error if the caller stops waiting, or the store is closed.
  public func wait(milliseconds: Int) async throws { try await wait(milliseconds: Optional(milliseconds)) }

  private func wait(milliseconds: Int?) async throws {
    switch await faults.wait(for: strike, milliseconds: milliseconds, caller: caller) {
    case .over: return
    case .callerGone: throw CancellationError()
    case .storeClosed: throw StoreConnectionFailure.noAnswer(reason: "the store was closed")
    }
  }

  /// The error after which the connection is reset without an answer.
  public var reset: any Error { StoreConnectionFailure.noAnswer(reason: reason) }

  /// The error of a store that cannot be reached. Over HTTP, a connection exists already, so it is reset.
  public var unreachable: any Error { StoreConnectionFailure.unreachable(reason: reason) }

  private var reason: String { "fault \(strike.id) (\(strike.kindName))" }

  /// The error after which the HTTP response to `result` is sent as `change` leaves it. A caller in the same process gets no
  /// answer.
  public func altered(
    _ result: Result<Answer, any Error>, _ change: @escaping @Sendable (inout AnswerBytes) -> Void
  ) -> any Error {
    AlteredAnswer(result: result.map { $0 }, change: change)
  }
}

/// How a request is carried out. A fault can change it.
struct RequestConditions: Sendable {
  /// The certificates with which the request's answer is signed.
  var chain = SigningChain.valid
  /// Whether the device proofs in the request's answer are of another device.
  var isForAnotherDevice = false
  /// How far the date for tokens and certificates is ahead of the machine's clock.
  var clockAheadMilliseconds: Int64 = 0
}
