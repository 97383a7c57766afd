import AppStoreServerAPI
import Foundation
import HTTPTransport
import SharedFixtures
import StoreModel

@testable import AppStoreEmulator

/// Sends consumption information to an emulated store in this process. The test can answer in its place.
final class ConsumptionStore: HTTPSender {
  enum Answer: Sendable {
    /// The store's own answer. Then the function is called, before the answer is returned.
    case own(@Sendable () -> Void = {})
    /// An answer of the store that it did not make.
    case error(ServerAPIErrorCode, retryAfter: String? = nil)
    case status(Int)
    /// The store has received the call, and its answer is lost.
    case lost
  }

  private struct State: Sendable {
    var answers: [Answer] = []
    var calls: [TransactionID] = []
    var rest = Answer.own()
  }

  private let store: EmulatedAppStore
  private let state = LockedValue(State())

  init(_ store: EmulatedAppStore) { self.store = store }

  /// The next answers, in order; then `rest`.
  func answer(_ answers: Answer..., then rest: Answer = .own()) {
    state.withLock { ($0.answers, $0.rest) = (answers, rest) }
  }

  /// The transactions of all calls so far.
  var calls: [TransactionID] { state.withLock { $0.calls } }

  /// A client whose time runs with `clock`, without retries of its own.
  func client(of app: BundleID, clock: ManualClock) async throws -> AppStoreServerAPIClient {
    let key = try ServerAPIKey(
      keyID: store.authority.apiKeyID(), issuerID: try await store.app(app).issuerID, pem: store.authority.apiKey())
    var configuration = AppStoreServerAPIConfiguration(bundleID: app, key: key, environments: .productionThenSandbox)
    configuration.productionURL = URL(string: "http://store.test/production")!
    configuration.sandboxURL = URL(string: "http://store.test/sandbox")!
    configuration.retries = 0
    return AppStoreServerAPIClient(
      configuration, transport: self,
      clock: ScriptedClock(
        date: { clock.now }, nanoseconds: { clock.now.millisecondsSince1970 * 1_000_000 }, sleep: { _ in }))
  }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let parts = call.url.path.split(separator: "/").map(String.init)
    let id = parts.last ?? ""
    let answer = state.withLock { state in
      state.calls.append(TransactionID(rawValue: id) ?? TransactionID(0))
      return state.answers.isEmpty ? state.rest : state.answers.removeFirst()
    }
    func deliver() async throws {
      let request = BackendRequest(
        environment: parts[0] == "sandbox" ? .sandbox : .production, parameters: ["transactionId": id],
        authorization: call.fields["Authorization"], body: call.body ?? Data())
      _ = try await store.answer(ServerAPIRequestEndpoint<SendConsumptionInformation>(request), for: nil)
    }
    switch answer {
    case .own(let then):
      do {
        try await deliver()
        then()
        try reply(202, to: sink)
      } catch let refusal as ServerAPIRefusal {
        try reply(refusal.error.httpStatus, JSONEncoder().encode(refusal.error), to: sink)
      }
    case .error(let code, let retryAfter):
      let error = ServerAPIError(code)
      try reply(
        error.httpStatus, JSONEncoder().encode(error), fields: retryAfter.map { ["Retry-After": $0] } ?? [:], to: sink)
    case .status(let status): try reply(status, to: sink)
    case .lost:
      try await deliver()
      throw HTTPFailure.noAnswer(reason: "the line was cut")
    }
  }

  private func reply(
    _ status: Int, _ body: Data = Data(), fields: [String: String] = [:], to sink: any HTTPReplySink
  ) throws {
    try sink.begin(HTTPReplyHead(status: status, fields: fields))
    if !body.isEmpty { try sink.take(body) }
  }
}
