import StoreModel

/// A worker that calls the store. It runs when it is woken, one run at a time. After a failure it runs again when the
/// schedule allows it, or when it is woken.
final class RetryingWorker: Sendable {
  private let wakeUps: AsyncStream<Void>.Continuation
  private let work: Task<Void, Never>

  /// - Parameter run: works until there is nothing left to do. Returns false if it must run again later.
  init(retry: any RetrySchedule, run: @escaping @Sendable () async -> Bool) {
    // All wake-ups during a run cause one more run after it.
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    wakeUps = continuation
    work = Task {
      var failures = 0
      var alarm: Task<Void, Never>?
      for await _ in stream {
        alarm?.cancel()
        if await run() {
          failures = 0
        } else {
          failures += 1
          let attempt = failures
          alarm = Task {
            do {
              try await retry.wait(afterFailures: attempt)
              continuation.yield()
            } catch {
              // The wait was cancelled, because the worker was woken or stopped.
            }
          }
        }
      }
      alarm?.cancel()
    }
  }

  func wake() { wakeUps.yield() }

  /// Lets the current run complete, and ignores later wake-ups.
  func stop() { wakeUps.finish() }

  /// Cancels the current run, and starts no other.
  func breakOff() {
    stop()
    work.cancel()
  }
}
