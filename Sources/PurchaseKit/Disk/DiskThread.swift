import Foundation

/// Runs a blocking disk operation on its own thread. Swift's concurrency pool has only one thread per core, so a blocked one
/// would delay all other tasks.
enum DiskThread {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
  }
}
