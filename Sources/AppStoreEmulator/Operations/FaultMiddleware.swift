import StoreModel

/// Applies faults to requests.
struct FaultMiddleware: OperationMiddleware {
  let faults: ActiveFaults
  let clock: StoreClock

  func handle<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext,
    next: @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer {
    guard let strike = faults.strike(context.metadata, clock: clock) else { return try await next(context) }
    context.noteFault(strike)
    let effect = strike.effect
    try await wait(effect.waitBefore, for: strike, context.caller)
    // An error is delayed or lost like any other answer.
    let result: Result<Operation.Answer, any Error>?
    do {
      var context = context
      context.leaf = effect.leaf
      result = try await act(effect.action, strike, operation, context, next).map { .success($0) }
    } catch {
      result = .failure(error)
    }
    try await wait(effect.waitAfter, for: strike, context.caller)
    let reason = "fault \(strike.id) (\(strike.kindName))"
    guard let result, effect.ending == .answer else {
      throw effect.ending == .unreachable
        ? StoreConnectionFailure.unreachable(reason: reason) : StoreConnectionFailure.noAnswer(reason: reason)
    }
    return try result.get()
  }

  /// - Returns: nil if the fault drops the request.
  private func act<Operation: StoreOperation>(
    _ action: FaultEffect.Action, _ strike: FaultStrike, _ operation: Operation, _ context: OperationContext,
    _ next: @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer? {
    switch action {
    case .drop: return nil
    case .unavailable: throw operation.unavailable
    case .fail(let error) where operation.decides(error):
      var context = context
      context.faultError = error
      context.ignoreFault = { [faults, noteFault = context.noteFault] in
        faults.giveBack(strike)
        noteFault(nil)
      }
      return try await next(context)
    case .fail(let error): throw error
    case .answer(let make):
      if let answer = make(context.metadata) as? Operation.Answer { return answer }
      return try await next(context)
    case .proceed: return try await next(context)
    }
  }

  private func wait(_ wait: FaultEffect.Wait, for strike: FaultStrike, _ caller: (any StoreCaller)?) async throws {
    switch await faults.wait(wait, for: strike, caller: caller) {
    case .over: return
    case .callerGone: throw CancellationError()
    case .storeClosed: throw StoreConnectionFailure.noAnswer(reason: "the store was closed")
    }
  }
}
