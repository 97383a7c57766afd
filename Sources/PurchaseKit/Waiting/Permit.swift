import StoreModel

/// A task's permit from a ``Semaphore``. The task releases the permit while it waits, for example for the network, so
/// that other tasks can continue.
///
/// Only one task at a time may use a permit.
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

  /// Releases the permit during `wait`, and acquires it again afterwards. If `wait` throws, the permit stays released.
  func released<Value>(during wait: () async throws -> Value) async throws -> Value {
    let wasHeld = isHeld.value
    release()
    let value = try await wait()
    if wasHeld { try await acquire() }
    return value
  }
}
