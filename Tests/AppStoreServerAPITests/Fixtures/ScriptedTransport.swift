import Foundation
import HTTPTransport
import StoreModel

@testable import AppStoreServerAPI

/// A transport whose answers a test lists. It records the requests.
final class ScriptedTransport: HTTPSender {
  enum Answer: Sendable {
    case reply(HTTPReply)
    case failure(HTTPFailure)

    static func json(_ value: some Encodable, status: Int = 200) throws -> Answer {
      let body = try ServerAPI.encoder().encode(value)
      return .reply(
        HTTPReply(head: HTTPReplyHead(status: status, fields: ["content-type": "application/json"]), body: body))
    }

    static func error(_ code: ServerAPIErrorCode, fields: [String: String] = [:]) throws -> Answer {
      let error = ServerAPIError(code)
      let body = try ServerAPI.encoder().encode(error)
      return .reply(HTTPReply(head: HTTPReplyHead(status: error.httpStatus, fields: fields), body: body))
    }

    static func text(_ text: String, status: Int) -> Answer {
      .reply(HTTPReply(head: HTTPReplyHead(status: status), body: Data(text.utf8)))
    }
  }

  private struct State: Sendable {
    var answers: [Answer]
    var requests: [HTTPCall] = []
  }

  private let state: LockedValue<State>

  /// - Parameter answers: the answers in order. The last one is repeated.
  init(_ answers: [Answer]) { state = LockedValue(State(answers: answers)) }

  var requests: [HTTPCall] { state.value.requests }

  func setAnswers(_ answers: [Answer]) { state.withLock { $0.answers = answers } }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let answer = state.withLock { state in
      state.requests.append(call)
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }
    switch answer {
    case .failure(let failure): throw failure
    case .reply(let reply):
      try sink.begin(reply.head)
      try sink.take(reply.body)
    }
  }
}

/// A client with a scripted transport, and a clock that only pauses move.
struct ScriptedClient {
  let transport: ScriptedTransport
  let client: AppStoreServerAPIClient
  private let time = LockedValue<(milliseconds: Int64, pauses: [Int64])>((0, []))

  init(
    _ answers: [ScriptedTransport.Answer],
    environments: AppStoreServerAPIConfiguration.Environments = .sandbox,
    _ change: (inout AppStoreServerAPIConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = AppStoreServerAPIConfiguration(
      bundleID: Samples.bundleID, key: Samples.key, environments: environments)
    configuration.anchors = try Samples.authority.anchors
    change(&configuration)
    transport = ScriptedTransport(answers)
    client = AppStoreServerAPIClient(
      configuration, transport: transport,
      clock: ScriptedClock(
        date: { [time] in Samples.date.adding(milliseconds: time.withLock { $0.milliseconds }) },
        nanoseconds: { [time] in time.withLock { $0.milliseconds * 1_000_000 } },
        sleep: { [time] duration in
          time.withLock { time in
            time.milliseconds += duration.milliseconds
            time.pauses.append(duration.milliseconds)
          }
        }), chance: { $0.lowerBound })
  }

  /// The lengths of the pauses so far, in milliseconds.
  var pauses: [Int64] { time.withLock { $0.pauses } }
  func advance(seconds: Int64) { time.withLock { $0.milliseconds += seconds * 1_000 } }

  var urls: [String] { transport.requests.map(\.url.absoluteString) }

  /// The tokens of the requests.
  var tokens: [String] { transport.requests.compactMap { $0.fields["Authorization"] } }

  /// Returns the error of a call; nil if it has none.
  func error(_ body: (AppStoreServerAPIClient) async throws -> Void) async throws -> ServerAPIClientError? {
    do {
      try await body(client)
      return nil
    } catch let error as ServerAPIClientError {
      return error
    }
  }
}
