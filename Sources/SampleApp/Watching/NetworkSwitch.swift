import StoreModel

/// The phone's network, which can be on or off.
final class NetworkSwitch: Sendable {
  private struct State: Sendable {
    var isOn: Bool
    var waiting = WaitQueue<Void>()
  }

  private let state: LockedValue<State>
  private let waits: @Sendable () -> Void

  /// - Parameter waits: called whenever a task begins to wait for the network.
  init(isOn: Bool, waits: @escaping @Sendable () -> Void = {}) {
    state = LockedValue(State(isOn: isOn))
    self.waits = waits
  }

  var isOn: Bool {
    get { state.withLock { $0.isOn } }
    set {
      let released = state.withLock { state in
        state.isOn = newValue
        return newValue ? state.waiting.removeAll() : []
      }
      for task in released { task.resume(()) }
    }
  }

  /// Returns when the network is on, or when the task is cancelled.
  func waitUntilOn() async {
    await state.wait(in: \.waiting, cancelled: (), unless: { $0.isOn ? () : nil }, begun: waits)
  }
}
