import Foundation

/// Where short work waits for the disk, one piece after the other, however many want something at the same time; not on a
/// thread of Swift's, see ``DiskThread``.
final class DiskQueue: Sendable {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
  }
}
