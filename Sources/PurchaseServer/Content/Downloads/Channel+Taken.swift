import NIOCore
import NIOHTTPTypes

extension Channel {
  /// Returns when the system has taken everything that was written to the connection so far.
  ///
  /// A write from a task only enters the queue of the connection's event loop and returns while the connection still
  /// counts as writable. A sender that does not wait queues a whole file. An empty body part takes its place behind what
  /// was written, and its promise is kept when all of that has left the process.
  func untilTaken() async throws {
    try await writeAndFlush(HTTPResponsePart.body(ByteBuffer())).get()
  }
}
