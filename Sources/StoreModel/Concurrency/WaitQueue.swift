/// Suspended tasks, in the order in which they began to wait. Part of the state in a ``LockedValue``; see
/// ``LockedValue/wait(in:cancelled:unless:)``.
package struct WaitQueue<End: Sendable>: Sendable {
  /// Identifies a waiting task.
  package final class Ticket: Sendable, Hashable {
    package init() {}
    package static func == (left: Ticket, right: Ticket) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private var waiting: [(ticket: Ticket, continuation: CheckedContinuation<End, Never>)] = []

  package init() {}

  package var count: Int { waiting.count }

  fileprivate mutating func add(_ ticket: Ticket, _ continuation: CheckedContinuation<End, Never>) {
    waiting.append((ticket, continuation))
  }

  /// Resumes the task that has waited longest.
  ///
  /// - Returns: false if no task waits.
  @discardableResult
  package mutating func resumeFirst(_ end: End) -> Bool {
    guard !waiting.isEmpty else { return false }
    waiting.removeFirst().continuation.resume(returning: end)
    return true
  }

  /// Resumes one task, if it still waits.
  package mutating func resume(_ ticket: Ticket, _ end: End) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
    waiting.remove(at: index).continuation.resume(returning: end)
  }

  /// Resumes all tasks, in the order in which they began to wait.
  package mutating func resumeAll(_ end: End) {
    for (_, continuation) in waiting { continuation.resume(returning: end) }
    waiting = []
  }
}

extension LockedValue {
  /// Suspends the task until it is resumed by the queue, or cancelled.
  ///
  /// - Parameters:
  ///   - queue: where the task waits.
  ///   - cancelled: returned when the task is cancelled.
  ///   - ticket: identifies the task in the queue.
  ///   - unless: called with the lock held, before the task is suspended. Returns a result if the task need not wait.
  ///   - begun: called when the task waits, without the lock.
  package func wait<End: Sendable>(
    in queue: WritableKeyPath<Value, WaitQueue<End>> & Sendable, cancelled: End,
    as ticket: WaitQueue<End>.Ticket = WaitQueue<End>.Ticket(), unless: (inout Value) -> End?,
    begun: () -> Void = {}
  ) async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let end: End? = withLock { value in
          if Task.isCancelled { return cancelled }
          if let end = unless(&value) { return end }
          value[keyPath: queue].add(ticket, continuation)
          return nil
        }
        if let end { continuation.resume(returning: end) } else { begun() }
      }
    } onCancel: {
      withLock { $0[keyPath: queue].resume(ticket, cancelled) }
    }
  }
}
