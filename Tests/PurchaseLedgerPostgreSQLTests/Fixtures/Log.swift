import Foundation

/// The recorded entries, in order.
final class Log<Entry: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: [Entry] = []

  var entries: [Entry] { lock.withLock { stored } }

  /// - Returns: the number of entries.
  @discardableResult
  func append(_ entry: Entry) -> Int {
    lock.withLock {
      stored.append(entry)
      return stored.count
    }
  }
}
