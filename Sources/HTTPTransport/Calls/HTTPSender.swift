import Foundation
import StoreModel

/// Sends HTTP requests, and passes on each response as it arrives.
public protocol HTTPSender: Sendable {
  /// Sends a request, and returns when the response is complete. Redirects are not followed, because the request's
  /// content is for this address only.
  ///
  /// - Parameter sink: called in order, one call at a time, on any thread. While a call runs, little more is read from
  ///   the connection.
  /// - Throws: ``HTTPFailure``; an error that `sink` throws, which ends the exchange; `CancellationError`.
  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws
}

/// Receives a response as it arrives.
public protocol HTTPReplySink: AnyObject, Sendable {
  /// Called once, first, with the status and the header.
  func begin(_ head: HTTPReplyHead) throws
  /// Called with each further part of the body.
  func take(_ bytes: Data) throws
}

extension HTTPSender {
  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter longestBodyBytes: the maximum size of the body. A longer one throws
  ///   ``HTTPFailure/unintelligible(reason:)``.
  public func reply(to call: HTTPCall, longestBodyBytes: Int = 32 << 20) async throws -> HTTPReply {
    let collected = CollectedReply(longestBodyBytes: longestBodyBytes, from: call.url)
    try await send(call, to: collected)
    return try collected.reply()
  }
}

/// Collects a response in memory.
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
        throw HTTPFailure.unintelligible(reason: "\(url.origin): its answer has more than \(longestBodyBytes) bytes")
      }
      state.body.append(bytes)
    }
  }

  func reply() throws -> HTTPReply {
    let state = state.value
    guard let head = state.head else { throw HTTPFailure.noAnswer(reason: "\(url.origin): it sent no response") }
    return HTTPReply(head: head, body: state.body)
  }
}
