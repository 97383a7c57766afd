import StoreModel

/// Calls back once when the store's clock reaches a date.
final class DueTimer: Sendable {
  private struct Setting: Sendable {
    let date: StoreDate
    /// The settings of the clock that the delay was computed from.
    let clockChanges: Int
    let task: Task<Void, Never>
  }

  /// The longest delay, in milliseconds. After it the callback is called too early.
  private static let longestDelay = 86_400_000.0

  private let clock: StoreClock
  private let machine: any MachineClock
  private let setting = LockedValue<Setting?>(nil)

  init(clock: StoreClock, machine: any MachineClock) {
    self.clock = clock
    self.machine = machine
  }

  deinit { cancel() }

  /// Replaces the date and the callback.
  ///
  /// - Parameters:
  ///   - date: nil for no callback. There is none either while the clock stands still.
  ///   - callback: is called on its own task, perhaps before `date`.
  func set(_ date: StoreDate?, callback: @escaping @Sendable () async -> Void) {
    guard let date, clock.rate > 0 else { return cancel() }
    let changes = clock.changes
    let replaced: Task<Void, Never>? = setting.withLock { setting in
      if let setting, setting.date == date, setting.clockChanges == changes { return nil }
      defer { setting = Setting(date: date, clockChanges: changes, task: makeTask(date, callback)) }
      return setting?.task
    }
    replaced?.cancel()
  }

  func cancel() { take()?.cancel() }

  private func makeTask(_ date: StoreDate, _ callback: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let delay = min(clock.wallMilliseconds(until: date), Self.longestDelay)
    return Task { [weak self, machine] in
      try? await machine.sleep(for: .milliseconds(delay))
      // Forgotten first, so that the callback can set the timer again without cancelling its own task.
      guard !Task.isCancelled, self?.take() != nil else { return }
      await callback()
    }
  }

  private func take() -> Task<Void, Never>? {
    setting.withLock { setting in
      defer { setting = nil }
      return setting?.task
    }
  }
}
