import StoreModel

/// What a person can set on a device: restricted purchases, and airplane mode. Both may change at any time.
///
/// Each switch has a value of the device's own, and may have a value that the store's control API has set for the
/// installation. The control API's value counts, if there is one.
public final class DeviceSwitches: Sendable {
  private struct State: Sendable {
    var own: Values
    var fromStore = InstallationSettings()
    var waiting = WaitQueue<Void>()
    var observers: [@Sendable () -> Void] = []

    var values: Values {
      Values(
        isRestricted: fromStore.isRestricted ?? own.isRestricted, isOffline: fromStore.isOffline ?? own.isOffline)
    }
  }

  private struct Values: Hashable, Sendable {
    var isRestricted: Bool
    var isOffline: Bool
  }

  private let state: LockedValue<State>
  private let waits: @Sendable () -> Void

  /// - Parameters:
  ///   - isRestricted, isOffline: the device's own values.
  ///   - waits: called whenever a task begins to wait for the network.
  public init(isRestricted: Bool = false, isOffline: Bool = false, waits: @escaping @Sendable () -> Void = {}) {
    state = LockedValue(State(own: Values(isRestricted: isRestricted, isOffline: isOffline)))
    self.waits = waits
  }

  /// Whether purchases are restricted: `SKPaymentQueue.canMakePayments()` is then false. Payments that are confirmed
  /// already are not affected. Setting it sets the device's own value.
  public var isRestricted: Bool {
    get { state.withLock { $0.values.isRestricted } }
    set { change { $0.own.isRestricted = newValue } }
  }

  /// Whether the device has no network. Setting it sets the device's own value.
  public var isOffline: Bool {
    get { state.withLock { $0.values.isOffline } }
    set { change { $0.own.isOffline = newValue } }
  }

  /// Returns when the device has a network, or when the task is cancelled.
  public func waitUntilOnline() async {
    await state.wait(in: \.waiting, cancelled: (), unless: { $0.values.isOffline ? nil : () }, begun: waits)
  }

  /// Calls `changed` whenever a switch has changed, on any thread.
  public func observe(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(changed) } }

  /// Sets the values that the store's control API has set for the installation.
  func adopt(_ settings: InstallationSettings) { change { $0.fromStore = settings } }

  private func change(_ change: (inout State) -> Void) {
    let (released, observers) = state.withLock { state in
      let before = state.values
      change(&state)
      guard state.values != before else { return ([WaitQueue<Void>.Waiter](), [@Sendable () -> Void]()) }
      return (state.values.isOffline ? [] : state.waiting.removeAll(), state.observers)
    }
    for task in released { task.resume(()) }
    for observer in observers { observer() }
  }
}

/// A connection to the store that fails while the device is offline.
///
/// Two calls pass nevertheless, because they bring the settings by which the store's control API can end the outage:
/// the registration, and the call that waits for changes.
struct SwitchedConnection: AppStoreConnection {
  let base: any AppStoreConnection
  let switches: DeviceSwitches

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    if call is RegisterCall || call is ChangesCall { return try await base.send(call, for: installation) }
    guard !switches.isOffline else { throw StoreConnectionFailure.unreachable(reason: "the device has no network") }
    let answer = try await base.send(call, for: installation)
    // An answer is lost if the network goes off while the app waits for it.
    guard !switches.isOffline else { throw StoreConnectionFailure.noAnswer(reason: "the device has lost its network") }
    return answer
  }
}
