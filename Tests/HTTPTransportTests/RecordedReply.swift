import Foundation
import HTTPTransport

/// Records the parts of a response.
final class RecordedReply: HTTPReplySink, @unchecked Sendable {
  private let lock = NSLock()
  private let taking: @Sendable (String) throws -> Void
  private var begun: HTTPReplyHead?
  private var taken = Data()

  /// - Parameter taking: called with each piece of the body.
  init(taking: @escaping @Sendable (String) throws -> Void = { _ in }) { self.taking = taking }

  var head: HTTPReplyHead? { lock.withLock { begun } }
  var text: String { lock.withLock { String(decoding: taken, as: UTF8.self) } }

  func begin(_ head: HTTPReplyHead) { lock.withLock { begun = head } }

  func take(_ bytes: Data) throws {
    lock.withLock { taken.append(bytes) }
    try taking(String(decoding: bytes, as: UTF8.self))
  }
}
