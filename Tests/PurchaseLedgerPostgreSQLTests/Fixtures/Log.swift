import Foundation
import StoreModel

/// The recorded entries, in order.
final class Log<Entry: Sendable>: Sendable {
  private let stored = LockedValue<[Entry]>([])

  var entries: [Entry] { stored.value }

  /// - Returns: the number of entries.
  @discardableResult
  func append(_ entry: Entry) -> Int {
    stored.withLock { stored in
      stored.append(entry)
      return stored.count
    }
  }
}
