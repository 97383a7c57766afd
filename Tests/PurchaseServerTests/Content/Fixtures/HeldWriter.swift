import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StoreModel

/// A writer that calls the test before it accepts a chunk. The test then checks how far the sender has read.
struct HeldWriter: ResponseBodyWriter {
  let tally: Tally
  /// Called before each chunk is accepted, with the number of chunks that were accepted so far.
  let onChunk: @Sendable (Int) async throws -> Void

  mutating func write(_ buffer: ByteBuffer) async throws {
    try await onChunk(tally.chunks)
    tally.add(buffer)
  }

  consuming func finish(_ trailers: HTTPFields?) async throws { tally.finish() }

  /// The chunks that the writer has accepted.
  final class Tally: Sendable {
    private let count = LockedValue((chunks: 0, bytes: Int64(0), isFinished: false))

    var chunks: Int { count.withLock { $0.chunks } }
    var bytes: Int64 { count.withLock { $0.bytes } }
    var isFinished: Bool { count.withLock { $0.isFinished } }

    func add(_ buffer: ByteBuffer) {
      count.withLock { count in
        count.chunks += 1
        count.bytes += Int64(buffer.readableBytes)
      }
    }

    func finish() { count.withLock { $0.isFinished = true } }
  }
}
