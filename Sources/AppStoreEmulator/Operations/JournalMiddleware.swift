/// Records every request, how long it took, and how it ended, in the request journal.
struct JournalMiddleware: OperationMiddleware {
  let journal: RequestJournal
  let clock: StoreClock

  func handle<Operation: StoreOperation>(
    _ operation: Operation, _ context: OperationContext,
    next: @escaping @Sendable (OperationContext) async throws -> Operation.Answer
  ) async throws -> Operation.Answer {
    let machine = clock.machine
    let begin = machine.nanoseconds
    let number = journal.begin(context.metadata, operation.recordedBody, date: clock.now)
    func end(_ outcome: RequestOutcome, _ answer: RecordedBody?, reason: String? = nil, isWithoutNews: Bool = false) {
      let microseconds = max(0, machine.nanoseconds - begin) / 1_000
      journal.end(number, answer: answer) { request in
        request.outcome = outcome
        request.reason = reason.map(JournaledRequest.boundedReason)
        request.durationMicroseconds = microseconds
        request.isWithoutNews = isWithoutNews
      }
    }
    var context = context
    context.learnApp = { [journal] bundleID in journal.change(number) { $0.metadata.bundleID = bundleID } }
    context.noteFault = { [journal] strike in journal.change(number) { $0.fault = strike?.journaled } }
    do {
      let answer = try await next(context)
      end(
        Operation.outcome(of: answer), Operation.recordedBody(of: answer), reason: Operation.reason(of: answer),
        isWithoutNews: Operation.isWithoutNews(answer))
      return answer
    } catch {
      end(RequestOutcome(of: error), RecordedBody(of: error), reason: (error as? any BackendError)?.reasonForDeveloper)
      throw error
    }
  }
}
