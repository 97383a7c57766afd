/// A caller who waits for the store's answer, and may give up.
///
/// If the caller is gone, the store only stops waiting. It always completes an operation that has begun, so a charge is
/// never left incomplete.
public protocol StoreCaller: Sendable {
  /// Returns when the caller is gone, or when the task is cancelled.
  func untilGone() async
}

extension StoreCaller {
  /// Performs `wait`, and cancels it when the caller is gone. `wait` must return when it is cancelled.
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
