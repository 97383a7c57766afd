import HTTPTypes
import Hummingbird
import StoreModel

extension ResponseBody {
  /// Returns the whole body. The body must be small: it is kept in memory.
  package func collected() async throws -> ByteBuffer {
    let bytes = LockedValue(ByteBuffer())
    try await write(CollectingWriter(bytes: bytes))
    return bytes.value
  }
}

private struct CollectingWriter: ResponseBodyWriter {
  let bytes: LockedValue<ByteBuffer>

  mutating func write(_ buffer: ByteBuffer) async throws {
    _ = bytes.withLock { $0.writeImmutableBuffer(buffer) }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
