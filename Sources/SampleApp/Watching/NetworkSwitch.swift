import Foundation

/// The phone's network.
final class NetworkSwitch: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Bool
  private var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
  private let waits: @Sendable () -> Void

  /// - Parameter waits: called whenever somebody begins to wait for the network.
  init(isOn: Bool, waits: @escaping @Sendable () -> Void = {}) {
    stored = isOn
    self.waits = waits
  }

  var isOn: Bool {
    get { lock.withLock { stored } }
    set {
      let released = lock.withLock {
        stored = newValue
        guard newValue else { return [CheckedContinuation<Void, Never>]() }
        defer { waiting = [:] }
        return Array(waiting.values)
      }
      for continuation in released { continuation.resume() }
    }
  }

  /// Returns when there is a network, or the task is cancelled.
  func waitUntilOn() async {
    let place = UUID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = lock.withLock {
          if stored || Task.isCancelled { return false }
          waiting[place] = continuation
          return true
        }
        if isWaiting { waits() } else { continuation.resume() }
      }
    } onCancel: {
      lock.withLock { waiting.removeValue(forKey: place) }?.resume()
    }
  }
}
