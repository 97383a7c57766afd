/// Whoever waits for the store's answer, and may give up waiting.
///
/// Only waiting ends early for a caller that is gone. What was begun is done: a charge is never left half made because
/// somebody hung up.
public protocol StoreCaller: Sendable {
  /// Returns when there is nobody left to answer. Returns when it is cancelled, too.
  func untilGone() async
}

extension StoreCaller {
  /// Performs `wait`, which heeds cancellation, and cancels it once the caller is gone.
  ///
  /// - Returns: nil if the caller was gone first.
  func whileWaiting<Value: Sendable>(_ wait: @escaping @Sendable () async -> Value) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await wait() }
      group.addTask {
        await untilGone()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
