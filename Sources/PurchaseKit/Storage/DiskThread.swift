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

/// Runs short disk operations one after the other, on a thread outside Swift's concurrency pool; see ``DiskThread``.
final class DiskQueue: Sendable {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
  }
}
