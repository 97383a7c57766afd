import StoreModel

/// A cache of the store's latest answers about proofs, for further requests about the same proof.
final class RecentAnswers<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
  private struct Entry: Sendable {
    let answer: Answer
    let end: Int64
  }

  private let entries = LockedValue<[Key: Entry]>([:])

  /// The maximum number of answers in the cache. If the cache is full, further answers are not cached.
  private static var limit: Int { 10_000 }

  /// Returns the cached answer; nil if there is none or it has expired.
  ///
  /// - Parameter now: the time of a monotonic clock, in milliseconds.
  func answer(to key: Key, at now: Int64) -> Answer? {
    entries.withLock { entries in entries[key].flatMap { now < $0.end ? $0.answer : nil } }
  }

  func remember(_ answer: Answer, to key: Key, at now: Int64, seconds: Int) {
    guard seconds > 0 else { return }
    entries.withLock { entries in
      if entries.count >= Self.limit { entries = entries.filter { now < $0.value.end } }
      guard entries.count < Self.limit else { return }
      entries[key] = Entry(answer: answer, end: now + Int64(seconds) * 1_000)
    }
  }
}
