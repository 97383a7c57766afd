import Foundation
import NIOCore
import StoreModel

@testable import PurchaseServer

/// A content store that counts the chunks that are read, and signals when a file that was read is closed.
final class WatchedStore: ContentStore {
  private let store: FolderContentStore
  private let chunks = LockedValue(0)
  private let closings = AsyncStream.makeStream(of: Void.self)

  init(_ store: FolderContentStore) { self.store = store }

  /// The number of chunks that were read.
  var chunkCount: Int { chunks.value }

  /// Returns when a file that was read is closed.
  func untilClosed() async { for await _ in closings.stream { return } }

  func publish<Upload: AsyncSequence & Sendable>(
    _ upload: Upload, limitBytes: Int64, expecting expectation: ContentExpectation
  ) async throws -> StoredContent where Upload.Element == ByteBuffer {
    try await store.publish(upload, limitBytes: limitBytes, expecting: expectation)
  }

  func size(of digest: ContentDigest) async throws -> Int64? { try await store.size(of: digest) }

  func renew(_ digest: ContentDigest) async throws -> Int64? { try await store.renew(digest) }

  func sweep(
    gracePeriodMilliseconds: Int64, keeping referenced: @Sendable () async throws -> Set<ContentDigest>
  ) async throws -> SweptContent {
    try await store.sweep(gracePeriodMilliseconds: gracePeriodMilliseconds, keeping: referenced)
  }

  func read(_ digest: ContentDigest, _ range: Range<Int64>) async throws -> ContentChunks {
    let reading = Reading(try await store.read(digest, range), closings.continuation)
    return ContentChunks(range, chunkBytes: store.chunkBytes) { [self] part in
      chunks.withLock { $0 += 1 }
      return try await reading.chunks.read(part)
    }
  }

  private final class Reading: Sendable {
    let chunks: ContentChunks
    private let closings: AsyncStream<Void>.Continuation

    init(_ chunks: ContentChunks, _ closings: AsyncStream<Void>.Continuation) {
      self.chunks = chunks
      self.closings = closings
    }

    deinit { closings.yield() }
  }
}
