import Foundation

/// So many may go on at a time: downloads, redemptions; the others wait their turn.
final class Places: @unchecked Sendable {
  private struct Waiting {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let lock = NSLock()
  private var free: Int
  private var lastNumber = 0
  private var waiting: [Waiting] = []
  private var cancelled: Set<Int> = []

  /// How many wait for their turn.
  var waitingCount: Int { lock.withLock { waiting.count } }

  init(_ count: Int) { free = count }

  /// Returns when it is the caller's turn, to be followed by ``leave()``.
  ///
  /// - Parameter isUrgent: whether to go before those who wait already.
  /// - Throws: `CancellationError`; it was nobody's turn then.
  func enter(isUrgent: Bool = false) async throws {
    let number = lock.withLock {
      lastNumber += 1
      return lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<Void, any Error>? = lock.withLock {
          if cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if free > 0 {
            free -= 1
            return .success(())
          }
          waiting.insert(Waiting(number: number, continuation: continuation), at: isUrgent ? 0 : waiting.endIndex)
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let continuation = lock.withLock {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else {
          cancelled.insert(number)
          return nil as CheckedContinuation<Void, any Error>?
        }
        return waiting.remove(at: index).continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
    _ = lock.withLock { cancelled.remove(number) }
  }

  func leave() {
    let next = lock.withLock {
      if waiting.isEmpty {
        free += 1
        return nil as CheckedContinuation<Void, any Error>?
      }
      return waiting.removeFirst().continuation
    }
    next?.resume()
  }
}
