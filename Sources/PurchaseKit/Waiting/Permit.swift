import StoreModel

/// A permit of a ``Semaphore`` that a task releases while it only waits, for example for the network, so that other tasks
/// can continue.
///
/// Used by one task at a time.
final class Permit: Sendable {
  private let semaphore: Semaphore
  private let isUrgent: Bool
  private let isHeld = LockedValue(false)

  /// - Parameter isUrgent: whether to go before the tasks that wait already.
  init(_ semaphore: Semaphore, isUrgent: Bool = false) {
    self.semaphore = semaphore
    self.isUrgent = isUrgent
  }

  /// Returns when the task holds the permit.
  ///
  /// - Throws: `CancellationError`.
  func acquire() async throws {
    guard !isHeld.value else { return }
    try await semaphore.acquire(isUrgent: isUrgent)
    isHeld.value = true
  }

  /// Releases the permit if the task holds it.
  func release() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { semaphore.release() }
  }

  /// Releases the permit during `wait`, and acquires it again afterwards. If `wait` throws, it is not acquired again.
  func released<Value>(during wait: () async throws -> Value) async throws -> Value {
    let wasHeld = isHeld.value
    release()
    let value = try await wait()
    if wasHeld { try await acquire() }
    return value
  }
}
