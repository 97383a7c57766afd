/// Sees to it that who asks the same at the same time shares one question.
///
/// A question goes on though one who waits for it is cancelled: others may wait, and its end is never far.
actor SharedRequests<Key: Hashable & Sendable, Answer: Sendable> {
  /// How many different questions may be under way.
  let limit: Int
  private var underWay: [Key: Task<Answer, Never>] = [:]
  /// How many wait for an answer just now.
  private(set) var waiting = 0

  init(limit: Int) { self.limit = limit }

  /// The answer to `key`; nil if too many other questions are under way.
  func answer(to key: Key, _ ask: @escaping @Sendable () async -> Answer) async -> Answer? {
    waiting += 1
    defer { waiting -= 1 }
    if let task = underWay[key] { return await task.value }
    guard underWay.count < limit else { return nil }
    let task = Task { await ask() }
    underWay[key] = task
    let answer = await task.value
    underWay[key] = nil
    return answer
  }
}
