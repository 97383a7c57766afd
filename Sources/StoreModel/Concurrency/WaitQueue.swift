/// A queue of suspended tasks. It is part of the state in a ``LockedValue``: see
/// ``LockedValue/wait(in:cancelled:as:atFront:unless:begun:)``.
///
/// The methods return the tasks that they remove. The caller must resume them after it has released the lock, because a
/// task that is cancelled at that moment may wait for the lock. The type is inlinable, so that other modules specialize
/// it.
package struct WaitQueue<End: Sendable>: Sendable {
  /// Identifies a waiting task.
  package final class Ticket: Sendable, Hashable {
    @inlinable package init() {}
    @inlinable package static func == (left: Ticket, right: Ticket) -> Bool { left === right }
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// A suspended task. Whatever removes it from the queue must resume it.
  package struct Waiter: Sendable {
    @usableFromInline let ticket: Ticket
    @usableFromInline let continuation: CheckedContinuation<End, Never>

    @inlinable
    init(_ ticket: Ticket, _ continuation: CheckedContinuation<End, Never>) {
      self.ticket = ticket
      self.continuation = continuation
    }

    @inlinable package func resume(_ end: End) { continuation.resume(returning: end) }
  }

  @usableFromInline var waiters: [Waiter] = []

  @inlinable package init() {}

  @inlinable package var count: Int { waiters.count }

  @inlinable mutating func add(_ waiter: Waiter, atFront: Bool) {
    waiters.insert(waiter, at: atFront ? 0 : waiters.endIndex)
  }

  /// Removes one task, if it still waits.
  @inlinable package mutating func remove(_ ticket: Ticket) -> Waiter? {
    waiters.firstIndex { $0.ticket == ticket }.map { waiters.remove(at: $0) }
  }

  /// Removes the first task of the queue: the newest task that was added at the front. If there is none, the task that
  /// has waited longest.
  @inlinable package mutating func removeFirst() -> Waiter? { waiters.isEmpty ? nil : waiters.removeFirst() }

  /// Removes all tasks, in the order of the queue.
  @inlinable package mutating func removeAll() -> [Waiter] {
    defer { waiters = [] }
    return waiters
  }
}

extension LockedValue {
  /// Suspends the task until the queue resumes it, or until it is cancelled.
  ///
  /// - Parameters:
  ///   - queue: the queue in which the task waits.
  ///   - cancelled: returned when the task is cancelled.
  ///   - ticket: identifies the task in the queue.
  ///   - atFront: whether the task goes before the tasks that wait already.
  ///   - unless: called with the lock held, before the task is suspended. Returns a result if the task need not wait.
  ///   - begun: called without the lock, when the task has begun to wait.
  @inlinable package func wait<End: Sendable>(
    in queue: WritableKeyPath<Value, WaitQueue<End>> & Sendable, cancelled: End,
    as ticket: WaitQueue<End>.Ticket = WaitQueue<End>.Ticket(), atFront: Bool = false, unless: (inout Value) -> End?,
    begun: () -> Void = {}
  ) async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let end: End? = withLock { value in
          if Task.isCancelled { return cancelled }
          if let end = unless(&value) { return end }
          value[keyPath: queue].add(WaitQueue.Waiter(ticket, continuation), atFront: atFront)
          return nil
        }
        if let end { continuation.resume(returning: end) } else { begun() }
      }
    } onCancel: {
      let waiter = withLock { $0[keyPath: queue].remove(ticket) }
      waiter?.resume(cancelled)
    }
  }
}
