import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A connection that takes a chunk only after it has looked how far its sender has got.
struct HeldWriter: ResponseBodyWriter {
  let tally: Tally
  /// Called at each chunk, before it is taken.
  let onChunk: @Sendable (Int) async throws -> Void

  mutating func write(_ buffer: ByteBuffer) async throws {
    try await onChunk(tally.chunks)
    tally.add(buffer)
  }

  consuming func finish(_ trailers: HTTPFields?) async throws { tally.finish() }

  /// What a connection has taken.
  final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var count = (chunks: 0, bytes: Int64(0), isFinished: false)

    var chunks: Int { lock.withLock { count.chunks } }
    var bytes: Int64 { lock.withLock { count.bytes } }
    var isFinished: Bool { lock.withLock { count.isFinished } }

    func add(_ buffer: ByteBuffer) {
      lock.withLock {
        count.chunks += 1
        count.bytes += Int64(buffer.readableBytes)
      }
    }

    func finish() { lock.withLock { count.isFinished = true } }
  }
}
