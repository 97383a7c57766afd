import Dispatch
import Foundation

/// Runs the jobs of one actor, one after the other.
///
/// A thread that cannot wait asynchronously can do work of the actor, too: ``sync(_:)`` waits for the job that is running at
/// this moment, and not for those behind it. So it ends even if all threads of Swift's concurrency pool call it at once.
final class EngineExecutor: SerialExecutor, @unchecked Sendable {
  // `turn` protects all of them.
  private let turn = NSCondition()
  private var jobs: [UnownedJob] = []
  /// The thread that runs a job or a synchronous call; nil if none does.
  private var runner: Thread?
  /// Whether a call of ``runJobs()`` is under way.
  private var isScheduled = false

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    turn.withLock {
      jobs.append(job)
      guard !isScheduled else { return }
      isScheduled = true
      DispatchQueue.global().async { self.runJobs() }
    }
  }

  /// Runs the jobs until there is none. Between two jobs, a synchronous call may run.
  private func runJobs() {
    while let job = nextJob() {
      job.runSynchronously(on: asUnownedSerialExecutor())
      leave()
    }
  }

  /// The next job, whose thread is the runner now; nil if there is none.
  private func nextJob() -> UnownedJob? {
    turn.withLock {
      while runner != nil { turn.wait() }
      guard !jobs.isEmpty else {
        isScheduled = false
        return nil
      }
      runner = .current
      return jobs.removeFirst()
    }
  }

  private func leave() {
    turn.withLock {
      runner = nil
      turn.broadcast()
    }
  }

  /// Does `work` on the calling thread while no job runs. A job must not call it.
  func sync<Value>(_ work: () throws -> Value) rethrows -> Value {
    turn.withLock {
      precondition(runner !== Thread.current, "a job of an actor waits for the actor")
      while runner != nil { turn.wait() }
      runner = .current
    }
    defer { leave() }
    return try work()
  }

  func checkIsolated() {
    turn.withLock { precondition(runner === Thread.current, "another thread runs the actor's jobs") }
  }
}
