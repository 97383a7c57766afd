import StoreModel

/// Calls a function once when the store's clock reaches a date.
final class DueTimer: Sendable {
  private struct Setting: Sendable {
    let number: Int
    let date: StoreDate
    /// The value of ``StoreClock/changes`` when the delay was computed.
    let clockChanges: Int
    let task: Task<Void, Never>
  }

  /// The maximum delay, in milliseconds. For a later date, the callback is called too early, and must set the timer
  /// again.
  private static let longestDelay = 86_400_000.0

  private let clock: StoreClock
  private let machine: any MachineClock
  private let state = LockedValue(State())

  private struct State: Sendable {
    var setting: Setting?
    var lastNumber = 0
    var isClosed = false
  }

  init(clock: StoreClock, machine: any MachineClock) {
    self.clock = clock
    self.machine = machine
  }

  deinit { cancel() }

  /// Sets the date and the callback. If the timer already waits for this date, and the clock was not changed since, it keeps
  /// the earlier callback.
  ///
  /// - Parameters:
  ///   - date: nil to remove the callback. It is also removed if the clock is stopped.
  ///   - callback: is called on its own task, perhaps before `date`.
  func set(_ date: StoreDate?, callback: @escaping @Sendable () async -> Void) {
    guard let date, clock.rate > 0 else { return cancel() }
    let changes = clock.changes
    let replaced: Task<Void, Never>? = state.withLock { state in
      if state.isClosed { return nil }
      if let setting = state.setting, setting.date == date, setting.clockChanges == changes { return nil }
      state.lastNumber += 1
      let number = state.lastNumber
      defer {
        state.setting = Setting(
          number: number, date: date, clockChanges: changes, task: makeTask(number, date, callback))
      }
      return state.setting?.task
    }
    replaced?.cancel()
  }

  func cancel() {
    let replaced = state.withLock { state in
      defer { state.setting = nil }
      return state.setting?.task
    }
    replaced?.cancel()
  }

  /// Cancels the callback. Later calls of ``set(_:callback:)`` have no effect.
  func close() {
    state.withLock { $0.isClosed = true }
    cancel()
  }

  private func makeTask(
    _ number: Int, _ date: StoreDate, _ callback: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let delay = min(clock.wallMilliseconds(until: date), Self.longestDelay)
    return Task { [weak self, machine] in
      try? await machine.sleep(for: .milliseconds(delay))
      // The setting is removed first, so that the callback can set the timer again without cancelling its own task.
      guard !Task.isCancelled, self?.forget(number) == true else { return }
      await callback()
    }
  }

  /// - Returns: false if the timer was set again or cancelled meanwhile.
  private func forget(_ number: Int) -> Bool {
    state.withLock { state in
      guard state.setting?.number == number else { return false }
      state.setting = nil
      return true
    }
  }
}
