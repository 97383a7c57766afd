/// Records every request, and how it ended, in the request journal.
struct JournalMiddleware: OperationMiddleware {
  let journal: RequestJournal
  let clock: StoreClock

  func handle<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext,
    next: @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer {
    let number = journal.begin(context.metadata, date: clock.now)
    var context = context
    context.learnApp = { [journal] bundleID in journal.change(number) { $0.metadata.bundleID = bundleID } }
    context.noteFault = { [journal] strike in journal.change(number) { $0.fault = strike?.journaled } }
    do {
      let answer = try await next(context)
      journal.change(number) { $0.outcome = Operation.outcome(of: answer) }
      return answer
    } catch {
      journal.change(number) { $0.outcome = RequestOutcome(of: error) }
      throw error
    }
  }
}
