import Foundation

@testable import PurchaseLedger

/// Time that passes only when somebody pauses, or when it is moved.
final class StepTime: PassingTime, @unchecked Sendable {
  private let lock = NSLock()
  private var now: Int64 = 0
  private var paused: [Int64] = []

  var milliseconds: Int64 { lock.withLock { now } }
  /// What was paused, in this order.
  var pauses: [Int64] { lock.withLock { paused } }

  func advance(milliseconds: Int64) { lock.withLock { now += milliseconds } }

  func pause(milliseconds: Int64) async {
    lock.withLock {
      now += milliseconds
      paused.append(milliseconds)
    }
  }
}
