import Foundation

/// Where work is done that waits for the disk: on a thread of its own, because Swift's own are as few as the machine's
/// cores, and one that waits keeps everybody else waiting.
enum DiskThread {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
  }
}
