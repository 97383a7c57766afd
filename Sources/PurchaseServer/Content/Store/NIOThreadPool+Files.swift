import NIOPosix

extension NIOThreadPool {
  /// Runs blocking work on one of the pool's threads.
  ///
  /// Unlike `runIfActive`, it also runs the work if the task was cancelled, because cleanup must happen then, too.
  ///
  /// - Throws: the error of the work, or ``ContentStoreError/stopped``.
  func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
      submit { state in
        guard state == .active else {
          continuation.resume(throwing: ContentStoreError.stopped)
          return
        }
        continuation.resume(with: Result { try work() })
      }
    }
  }
}
