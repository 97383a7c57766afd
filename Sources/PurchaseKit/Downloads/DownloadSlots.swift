import Foundation

/// Lets a few downloads go on at a time; the others wait their turn.
final class DownloadSlots: @unchecked Sendable {
  private let lock = NSLock()
  private var free: Int
  private var lastNumber = 0
  private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  private var cancelled: Set<Int> = []

  init(_ count: Int) { free = count }

  /// Returns when it is the caller's turn, to be followed by ``leave()``.
  ///
  /// - Throws: `CancellationError`; it was nobody's turn then.
  func enter() async throws {
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
          waiting.append((number, continuation))
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
