import Foundation

/// Names that were not given before.
final class DatabaseNames: @unchecked Sendable {
  private let lock = NSLock()
  private var last = 0

  func next() -> String {
    lock.withLock {
      last += 1
      return "ledger_\(last)"
    }
  }
}
