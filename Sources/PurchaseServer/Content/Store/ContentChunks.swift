import NIOCore

/// A byte range of a content file, as a sequence of chunks. Each chunk is read when the caller requests it.
///
/// Each chunk is twice as long as the one before, up to a maximum. So a client that takes the content fast causes few
/// switches between threads, and one that takes nothing from the beginning holds little memory.
public struct ContentChunks: AsyncSequence, Sendable {
  public typealias Element = ByteBuffer
  public typealias Failure = any Error
  /// Reads exactly this range of the file.
  public typealias Read = @Sendable (_ range: Range<Int64>) async throws -> ByteBuffer

  /// The maximum size of the first chunk.
  private static let firstChunkBytes: Int64 = 128 * 1024

  private let range: Range<Int64>
  private let chunkBytes: Int64
  let read: Read

  /// - Parameters:
  ///   - range: The range to read, in bytes.
  ///   - chunkBytes: The maximum size of a chunk.
  public init(_ range: Range<Int64>, chunkBytes: Int, read: @escaping Read) {
    precondition(chunkBytes > 0)
    self.range = range
    self.chunkBytes = Int64(chunkBytes)
    self.read = read
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(rest: range, nextBytes: Swift.min(Self.firstChunkBytes, chunkBytes), chunkBytes: chunkBytes, read: read)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var rest: Range<Int64>
    fileprivate var nextBytes: Int64
    fileprivate let chunkBytes: Int64
    fileprivate let read: Read

    public mutating func next() async throws -> ByteBuffer? {
      guard !rest.isEmpty else { return nil }
      let end = rest.upperBound - rest.lowerBound > nextBytes ? rest.lowerBound + nextBytes : rest.upperBound
      let chunk = try await read(rest.lowerBound..<end)
      rest = end..<rest.upperBound
      nextBytes = nextBytes > chunkBytes / 2 ? chunkBytes : nextBytes * 2
      return chunk
    }
  }
}
