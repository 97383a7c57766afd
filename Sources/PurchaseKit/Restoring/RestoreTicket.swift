import Foundation

/// Whether a task that is cancelled is the one that waits for the restore under way: another's must not end.
final class RestoreTicket: @unchecked Sendable {
  private let lock = NSLock()
  private var waits = false

  var isWaiting: Bool {
    get { lock.withLock { waits } }
    set { lock.withLock { waits = newValue } }
  }
}
