import NIOCore

/// A byte range of a content file, as a sequence of chunks. Each chunk is read when the caller requests it.
public struct ContentChunks: AsyncSequence, Sendable {
  public typealias Element = ByteBuffer
  public typealias Failure = any Error
  /// Reads exactly this range of the file.
  public typealias Read = @Sendable (_ range: Range<Int64>) async throws -> ByteBuffer

  private let range: Range<Int64>
  private let chunkBytes: Int64
  let read: Read

  /// - Parameters:
  ///   - range: The range to read, in bytes.
  ///   - chunkBytes: The size of a chunk. The last one may be smaller.
  public init(_ range: Range<Int64>, chunkBytes: Int, read: @escaping Read) {
    precondition(chunkBytes > 0)
    self.range = range
    self.chunkBytes = Int64(chunkBytes)
    self.read = read
  }

  public func makeAsyncIterator() -> Iterator { Iterator(rest: range, chunkBytes: chunkBytes, read: read) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var rest: Range<Int64>
    fileprivate let chunkBytes: Int64
    fileprivate let read: Read

    public mutating func next() async throws -> ByteBuffer? {
      guard !rest.isEmpty else { return nil }
      let end = rest.upperBound - rest.lowerBound > chunkBytes ? rest.lowerBound + chunkBytes : rest.upperBound
      let chunk = try await read(rest.lowerBound..<end)
      rest = end..<rest.upperBound
      return chunk
    }
  }
}
