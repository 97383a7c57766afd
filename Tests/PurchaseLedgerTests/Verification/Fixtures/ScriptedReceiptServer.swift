import Foundation
import StoreModel

@testable import PurchaseLedger

/// A store with scripted answers at its two endpoints.
final class ScriptedReceiptServer: ReceiptServer {
  static let production = URL(string: "http://production.test/verifyReceipt")!
  static let sandbox = URL(string: "http://sandbox.test/verifyReceipt")!

  enum Answer: Sendable {
    case reply(ReceiptServerReply)
    case failure(ReceiptServerFailure)
    /// The reply comes after this number of milliseconds, unless the caller's timeout is shorter.
    indirect case slow(milliseconds: Int64, Answer)

    static func json(_ text: String) -> Answer { .reply(ReceiptServerReply(httpStatus: 200, body: Data(text.utf8))) }
    static func status(_ status: Int) -> Answer { .json("{\"status\":\(status)}") }
    static func http(_ status: Int, retryAfter: String? = nil, date: String? = nil) -> Answer {
      .reply(ReceiptServerReply(httpStatus: status, body: Data(), retryAfter: retryAfter, date: date))
    }
  }

  struct Request: Hashable {
    let endpoint: StoreEnvironment
    let body: Data
    let timeoutMilliseconds: Int64
  }

  private struct State: Sendable {
    var answers: [StoreEnvironment: [Answer]]
    var asked: [Request] = []
    var gate: Gate?
  }

  private let state: LockedValue<State>
  private let time: SteppingClock

  /// - Parameter answers: the answers of each endpoint, in order. The last one is repeated.
  init(_ answers: [StoreEnvironment: [Answer]], time: SteppingClock = SteppingClock()) {
    state = LockedValue(State(answers: answers))
    self.time = time
  }

  var requests: [Request] { state.withLock { $0.asked } }
  var endpoints: [StoreEnvironment] { requests.map(\.endpoint) }

  func setAnswers(_ answers: [Answer], for endpoint: StoreEnvironment = .production) {
    state.withLock { $0.answers[endpoint] = answers }
  }

  /// Holds answers back until the gate is open.
  func wait(for gate: Gate) { state.withLock { $0.gate = gate } }

  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    let endpoint: StoreEnvironment = url == Self.production ? .production : .sandbox
    let (answer, gate) = state.withLock { state in
      state.asked.append(Request(endpoint: endpoint, body: body, timeoutMilliseconds: timeoutMilliseconds))
      let rest = state.answers[endpoint] ?? []
      if rest.count > 1 { state.answers[endpoint] = Array(rest.dropFirst()) }
      return (rest.first, state.gate)
    }
    await gate?.pass()
    return try reply(
      answer ?? .failure(.noConnection(detail: "no answer is scripted for this endpoint")), timeoutMilliseconds)
  }

  private func reply(_ answer: Answer, _ timeoutMilliseconds: Int64) throws(ReceiptServerFailure) -> ReceiptServerReply
  {
    switch answer {
    case .reply(let reply): return reply
    case .failure(let failure): throw failure
    case .slow(let milliseconds, let answer):
      time.advance(milliseconds: min(milliseconds, timeoutMilliseconds))
      guard milliseconds <= timeoutMilliseconds else { throw .timeout }
      return try reply(answer, timeoutMilliseconds - milliseconds)
    }
  }
}
