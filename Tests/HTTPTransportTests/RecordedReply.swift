import Foundation
import HTTPTransport
import StoreModel

/// Records the parts of a response.
final class RecordedReply: HTTPReplySink {
  private struct State: Sendable {
    var begun: HTTPReplyHead?
    var taken = Data()
  }

  private let state = LockedValue(State())
  private let taking: @Sendable (String) throws -> Void

  /// - Parameter taking: called with each piece of the body.
  init(taking: @escaping @Sendable (String) throws -> Void = { _ in }) { self.taking = taking }

  var head: HTTPReplyHead? { state.withLock { $0.begun } }
  var text: String { state.withLock { String(decoding: $0.taken, as: UTF8.self) } }

  func begin(_ head: HTTPReplyHead) { state.withLock { $0.begun = head } }

  func take(_ bytes: Data) throws {
    state.withLock { $0.taken.append(bytes) }
    try taking(String(decoding: bytes, as: UTF8.self))
  }
}
