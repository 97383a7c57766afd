import StoreModel

/// A permit of ``Places`` that a task returns while it only waits, for example for the network, so that other tasks can go on.
///
/// Used by one task at a time.
final class Place: Sendable {
  private let places: Places
  private let isUrgent: Bool
  private let isTaken = LockedValue(false)

  /// - Parameter isUrgent: whether to go before the tasks that wait already.
  init(_ places: Places, isUrgent: Bool = false) {
    self.places = places
    self.isUrgent = isUrgent
  }

  /// Returns when the permit is acquired.
  ///
  /// - Throws: `CancellationError`.
  func take() async throws {
    guard !isTaken.value else { return }
    try await places.enter(isUrgent: isUrgent)
    isTaken.value = true
  }

  func giveBack() {
    let wasTaken = isTaken.withLock { isTaken in
      defer { isTaken = false }
      return isTaken
    }
    if wasTaken { places.leave() }
  }

  /// Returns the permit during `wait`, and acquires it again afterwards. If `wait` throws, the permit is not acquired again.
  func without<Value>(_ wait: () async throws -> Value) async throws -> Value {
    let wasTaken = isTaken.value
    giveBack()
    let value = try await wait()
    if wasTaken { try await take() }
    return value
  }
}
