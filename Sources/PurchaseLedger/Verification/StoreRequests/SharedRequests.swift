/// Combines simultaneous requests with the same key into one.
///
/// The request continues if a waiting caller is cancelled, because others may wait for it. It ends by its own timeout.
actor SharedRequests<Key: Hashable & Sendable, Answer: Sendable> {
  /// The maximum number of different requests in progress.
  let limit: Int
  private var underWay: [Key: Task<Answer, Never>] = [:]
  /// The number of callers that wait for an answer.
  private(set) var waiting = 0

  init(limit: Int) { self.limit = limit }

  /// Returns the answer for `key`, or nil if too many other requests are in progress.
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
