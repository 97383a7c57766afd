import NIOPosix

extension NIOThreadPool {
  /// Runs work that may block on one of the pool's threads.
  ///
  /// Unlike `runIfActive` it runs the work also if the task was cancelled: what tidies up must happen then, too.
  ///
  /// - Throws: what the work threw, or ``ContentStoreError/stopped``.
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
