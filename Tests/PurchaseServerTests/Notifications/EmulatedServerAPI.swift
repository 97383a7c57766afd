import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel

@testable import AppStoreEmulator

/// Sends calls of the App Store Server API to an emulated store in this process: the notification history, transactions, and the
/// status of certificates.
final class EmulatedServerAPI: HTTPSender {
  /// Changes a page of notifications, or throws in place of it. Pages are counted from 1.
  typealias Answer =
    @Sendable (_ page: Int, NotificationHistoryResponse) async throws -> NotificationHistoryResponse

  private struct State: Sendable {
    var pages = 0
    var answer: Answer = { $1 }
    var isResponderDown = false
  }

  /// The address of the OCSP responder.
  static let responder = URL(string: "http://ocsp.test/")!

  private let store: EmulatedAppStore
  private let state = LockedValue(State())

  init(_ store: EmulatedAppStore) { self.store = store }

  /// Changes the pages of notifications from now on.
  func answer(_ answer: @escaping Answer) {
    state.withLock { state in
      state.answer = answer
      state.pages = 0
    }
  }

  /// The number of pages that were requested since the last change.
  var pages: Int { state.withLock { $0.pages } }

  /// Whether the OCSP responder gives no answer.
  var isResponderDown: Bool {
    get { state.withLock { $0.isResponderDown } }
    set { state.withLock { $0.isResponderDown = newValue } }
  }

  /// A client of an app's environments.
  ///
  /// - Parameter clock: the store's machine.
  func client(of app: BundleID, clock: any MachineClock) async throws -> AppStoreServerAPIClient {
    let key = try ServerAPIKey(
      keyID: store.authority.apiKeyID(), issuerID: try await store.app(app).issuerID, pem: store.authority.apiKey())
    var configuration = AppStoreServerAPIConfiguration(bundleID: app, key: key, environments: .productionThenSandbox)
    configuration.productionURL = URL(string: "http://store.test/production")!
    configuration.sandboxURL = URL(string: "http://store.test/sandbox")!
    configuration.anchors = try store.authority.anchors
    configuration.retries = 0
    return AppStoreServerAPIClient(configuration, transport: self, clock: clock)
  }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    guard call.url != Self.responder else { return try await sendStatus(call, to: sink) }
    let parts = call.url.path.split(separator: "/").map(String.init)
    let query = URLComponents(url: call.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    func request(_ parameters: [String: String] = [:]) -> BackendRequest {
      BackendRequest(
        environment: parts[0] == "sandbox" ? .sandbox : .production, parameters: parameters,
        query: query.map { (name: $0.name, value: $0.value ?? "") }, authorization: call.fields["Authorization"],
        body: call.body ?? Data())
    }
    do {
      if parts.last == "history", parts.contains("notifications") {
        let history = try await store.answer(ServerAPIRequestEndpoint<GetNotificationHistory>(request()), for: nil)
        let (page, answer) = state.withLock { state in
          state.pages += 1
          return (state.pages, state.answer)
        }
        try reply(try await answer(page, history), to: sink)
      } else {
        let id = ["transactionId": parts.last ?? ""]
        try reply(try await store.answer(ServerAPIRequestEndpoint<GetTransactionInfo>(request(id)), for: nil), to: sink)
      }
    } catch let refusal as ServerAPIRefusal {
      try reply(refusal.error, status: refusal.error.httpStatus, to: sink)
    }
  }

  private func sendStatus(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    guard !isResponderDown else { throw HTTPFailure.noAnswer(reason: "the responder is down") }
    let request = Result { () throws(OCSPFault) in try OCSPRequest(Array(call.body ?? Data())) }
    let response = try store.signedStatus(try await store.certificateStatus(request, caller: nil))
    try sink.begin(HTTPReplyHead(status: response.status, fields: [:]))
    try sink.take(Data(response.body ?? []))
  }

  private func reply(_ answer: some Encodable, status: Int = 200, to sink: any HTTPReplySink) throws {
    try sink.begin(HTTPReplyHead(status: status, fields: ["Content-Type": "application/json"]))
    try sink.take(try JSONEncoder().encode(answer))
  }
}
