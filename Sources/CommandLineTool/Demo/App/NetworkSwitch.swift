import Foundation

/// The phone's network.
final class NetworkSwitch: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Bool

  init(isOn: Bool) { stored = isOn }

  var isOn: Bool {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
