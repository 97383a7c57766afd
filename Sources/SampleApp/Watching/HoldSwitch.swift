import Foundation

/// Where the app is to wait for ever.
final class HoldSwitch: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: HoldPoint?

  init(_ point: HoldPoint?) { stored = point }

  var point: HoldPoint? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
