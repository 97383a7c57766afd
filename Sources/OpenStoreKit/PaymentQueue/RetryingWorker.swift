import Foundation

/// A line of work towards the store: it runs when woken, one run at a time, and after a failure again when the schedule
/// says so or somebody wakes it.
final class RetryingWorker: Sendable {
  private let wakeUps: AsyncStream<Void>.Continuation
  private let work: Task<Void, Never>

  /// - Parameter run: works until there is nothing left to do; returns false where the store could not be reached.
  init(retry: any RetrySchedule, run: @escaping @Sendable () async -> Bool) {
    // Wake-ups that come while a run is under way become one more run after it.
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
              try await retry.wait(afterFailure: attempt)
              continuation.yield()
            } catch {
              // Cancelled: somebody woke the line before the wait was over.
            }
          }
        }
      }
      alarm?.cancel()
    }
  }

  func wake() { wakeUps.yield() }

  /// Lets a run that is under way come to its end, and begins no other.
  func stop() { wakeUps.finish() }

  /// Breaks off the run that is under way.
  func breakOff() {
    stop()
    work.cancel()
  }
}
