import NIOCore
import NIOHTTPTypes

extension Channel {
  /// Returns when the operating system has accepted all bytes that were written to the connection so far.
  ///
  /// While the connection is marked as writable, a write from a task only joins the queue of the connection's event
  /// loop, and returns before the bytes are sent. So a sender that does not wait could queue a whole file. The empty
  /// body part written here is queued behind all earlier writes, and its promise succeeds when all of them have left
  /// the process.
  func untilTaken() async throws {
    try await writeAndFlush(HTTPResponsePart.body(ByteBuffer())).get()
  }
}
