import Foundation

/// What the store has said of receipts just now, for whoever asks about the same one again.
final class RecentStatements<Key: Hashable & Sendable>: @unchecked Sendable {
  private struct Entry {
    let statement: StoreStatement
    let end: Int64
  }

  private let lock = NSLock()
  private var entries: [Key: Entry] = [:]

  /// How many are remembered at the most; beyond it, all are asked about again.
  private static var limit: Int { 10_000 }

  /// - Parameter now: in milliseconds, of a clock that never goes back.
  func statement(on key: Key, at now: Int64) -> StoreStatement? {
    lock.withLock { entries[key].flatMap { now < $0.end ? $0.statement : nil } }
  }

  func remember(_ statement: StoreStatement, on key: Key, at now: Int64, seconds: Int) {
    guard seconds > 0 else { return }
    lock.withLock {
      if entries.count >= Self.limit { entries = entries.filter { now < $0.value.end } }
      guard entries.count < Self.limit else { return }
      entries[key] = Entry(statement: statement, end: now + Int64(seconds) * 1_000)
    }
  }
}
