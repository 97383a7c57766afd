import StoreModel

/// Applies faults to requests.
struct FaultMiddleware: OperationMiddleware {
  let faults: ActiveFaults
  let clock: StoreClock

  func handle<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext,
    next: @escaping @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer {
    guard let strike = faults.strike(context.metadata, clock: clock) else { return try await next(context) }
    context.noteFault(strike)
    let request = FaultedRequest(
      metadata: context.metadata, unavailable: operation.unavailable, strike: strike, faults: faults,
      caller: context.caller, machineDate: clock.machine.now,
      perform: { conditions in
        var context = context
        context.conditions = conditions
        return try await next(context)
      },
      refuse: { [faults] error in
        guard operation.decides(error) else { throw error }
        var context = context
        context.faultError = error
        context.ignoreFault = { [noteFault = context.noteFault] in
          faults.giveBack(strike)
          noteFault(nil)
        }
        return try await next(context)
      })
    return try await strike.kind.apply(to: request)
  }
}
