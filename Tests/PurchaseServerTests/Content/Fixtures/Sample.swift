import Crypto
import Foundation
import NIOCore
import StoreModel

@testable import PurchaseServer

/// Sample content for tests.
enum Sample {
  /// 2026-07-01T12:00:00Z
  static let noon = StoreDate(millisecondsSince1970: 1_782_907_200_000)

  /// Returns pseudorandom bytes. The same seed gives the same bytes.
  static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    var data = Data(count: count)
    data.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
      }
    }
    return data
  }

  static func digest(_ data: Data) -> ContentDigest { ContentDigest(SHA256.hash(data: data)) }

  /// Returns the data in pieces, as an upload delivers it.
  static func upload(_ data: Data, pieces: Int = 60_000) -> AsyncStream<ByteBuffer> {
    AsyncStream { continuation in
      for start in stride(from: 0, to: data.count, by: pieces) {
        continuation.yield(ByteBuffer(bytes: data[start..<min(start + pieces, data.count)]))
      }
      continuation.finish()
    }
  }

  static func file(
    _ digest: ContentDigest = digest(Data("a book".utf8)), size: Int64 = 1000, name: String = "book.epub",
    mediaType: String = "application/epub+zip"
  ) -> DownloadableFile {
    DownloadableFile(digest: digest, size: size, name: name, mediaType: mediaType)
  }

  static func key(_ byte: UInt8) throws -> DownloadLinkKey {
    try DownloadLinkKey(bytes: Array(repeating: byte, count: 32))
  }
}

extension ContentStore {
  /// Returns a part of a file as one value.
  func data(_ digest: ContentDigest, _ range: Range<Int64>) async throws -> Data {
    var data = Data()
    for try await chunk in try await read(digest, range) { data.append(contentsOf: chunk.readableBytesView) }
    return data
  }
}
