import Foundation
import StoreModel

/// Sends a request over HTTP and passes on what is answered, as it comes.
public protocol HTTPSender: Sendable {
  /// Returns when the answer is whole. Redirections are not followed: what is inside is for the one address only.
  ///
  /// - Parameter sink: told in order, one piece at a time, on whatever thread; no more is read while it is busy.
  /// - Throws: ``HTTPFailure``; what `sink` threw, which ends the exchange; `CancellationError`.
  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws
}

/// Takes an answer as it comes.
public protocol HTTPReplySink: AnyObject, Sendable {
  /// The answer has begun. Called once, before anything else.
  func begin(_ head: HTTPReplyHead) throws
  /// More of the body has come.
  func take(_ bytes: Data) throws
}

extension HTTPSender {
  /// Sends a request and waits for the whole answer.
  ///
  /// - Parameter longestBodyBytes: more of the answer is not taken.
  public func reply(to call: HTTPCall, longestBodyBytes: Int = 32 << 20) async throws -> HTTPReply {
    let collected = CollectedReply(longestBodyBytes: longestBodyBytes, from: call.url)
    try await send(call, to: collected)
    return try collected.reply()
  }
}

/// Keeps an answer in memory.
private final class CollectedReply: HTTPReplySink {
  private struct State: Sendable {
    var head: HTTPReplyHead?
    var body = Data()
  }

  private let longestBodyBytes: Int
  private let url: URL
  private let state = LockedValue(State())

  init(longestBodyBytes: Int, from url: URL) {
    self.longestBodyBytes = longestBodyBytes
    self.url = url
  }

  func begin(_ head: HTTPReplyHead) { state.withLock { $0.head = head } }

  func take(_ bytes: Data) throws {
    try state.withLock { state in
      guard state.body.count + bytes.count <= longestBodyBytes else {
        throw HTTPFailure.unintelligible(reason: "\(url): its answer has more than \(longestBodyBytes) bytes")
      }
      state.body.append(bytes)
    }
  }

  func reply() throws -> HTTPReply {
    let state = state.value
    guard let head = state.head else { throw HTTPFailure.noAnswer(reason: "\(url): it said nothing") }
    return HTTPReply(head: head, body: state.body)
  }
}
