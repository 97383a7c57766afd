import Foundation
import Hummingbird
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import AppStoreEmulatorServer

/// An endpoint that no API has: `GET /ENV/inApps/v9/shelves/{shelf}/loaves?from=NUMBER`.
private struct LoavesEndpoint: BackendEndpoint {
  struct Answer: Codable, Hashable, Sendable {
    let shelf: String
    let from: Int
    let environment: String
    let isKnown: Bool
  }

  /// An error of this endpoint, with its own body and status.
  struct UnknownShelf: BackendError, Encodable {
    let errorCode: Int

    var response: BackendResponse {
      BackendResponse(Array(#"{"errorCode":\#(errorCode)}"#.utf8), status: 404)
    }
    var outcome: RequestOutcome { .status(errorCode) }
  }

  static let name = "loaves"
  static let method = BackendMethod.get
  static let path = "inApps/v9/shelves/{shelf}/loaves"

  let request: BackendRequest
  let shelf: String
  let from: Int

  init(_ request: BackendRequest) throws {
    self.request = request
    guard let shelf = request.parameters["shelf"], shelf != "none" else { throw UnknownShelf(errorCode: 4_040_099) }
    self.shelf = shelf
    from = request.query.first { $0.name == "from" }.flatMap { Int($0.value) } ?? 0
  }

  var subject: CallSubject { CallSubject(transactionID: TransactionID(rawValue: shelf)) }
  static var unavailable: any BackendError { UnknownShelf(errorCode: 5_000_000) }
}

extension LoavesEndpoint: BackendCall {
  func answer(in store: StoreServices, _ context: OperationContext) async throws -> Answer {
    if shelf == "999" { throw UnknownShelf(errorCode: 4_040_010) }
    let isKnown = try await store.database.read { try $0.installations.find(InstallationID(shelf)) != nil }
    return Answer(shelf: shelf, from: from, environment: request.environment.rawValue, isKnown: isKnown)
  }
}

/// An outage of the invented endpoint, which is in no list.
private struct LoavesOutageFault: FaultKind {
  static let name = "loavesOutage"
  static let summary = "no loaves"
  static let possibleCalls: Set<RequestKind> = [LoavesEndpoint.kind]

  func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer { throw request.unavailable }
}

/// A fault with an effect that no other fault has: it holds the answer, and then cuts it off.
private struct HeldAndCutOffFault: FaultKind {
  static let name = "heldAndCutOff"
  static let summary = "done, held, and cut off"
  static let possibleCalls = Set<RequestKind>.everything

  func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    let result = await request.result()
    try await request.untilReleased()
    throw request.altered(result) {
      $0.bytes = Array($0.bytes.prefix(5))
      $0.isCutOff = true
    }
  }
}

@Suite("What one declaration brings", .timeLimit(.minutes(30)))
struct InventedEndpointTests {
  @Test(
    "C2 an endpoint for backends is its declaration and its rule: path, query, JSON, its own errors, faults, journal")
  func endpoint() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let router = Router(context: EmulatorRequestContext.self)
    BackendRoutes(store: store).add(LoavesEndpoint.self, to: router)
    let path = "/sandbox/inApps/v9/shelves/12%2F3/loaves?from=7"
    try await Application(router: router, logger: BakeryServer.logger).test(.router) { client in
      let answer = try await client.execute(uri: path, method: .get)
      #expect(answer.status == .ok)
      #expect(String(buffer: answer.body) == #"{"environment":"Sandbox","from":7,"isKnown":false,"shelf":"12/3"}"#)
      let invalid = try await client.execute(uri: "/production/inApps/v9/shelves/none/loaves", method: .get)
      #expect((invalid.status, String(buffer: invalid.body)) == (.notFound, #"{"errorCode":4040099}"#))
      let refused = try await client.execute(uri: "/production/inApps/v9/shelves/999/loaves", method: .get)
      #expect((refused.status, String(buffer: refused.body)) == (.notFound, #"{"errorCode":4040010}"#))
      #expect(try await client.execute(uri: path, method: .post).status == .notFound)
      try store.set(Fault(LoavesOutageFault(), count: 1))
      let outage = try await client.execute(uri: path, method: .get)
      #expect(String(buffer: outage.body) == #"{"errorCode":5000000}"#)
    }
    let requests = store.requests()
    #expect(requests.map(\.metadata.kind.rawValue) == ["loaves", "loaves", "loaves"])
    #expect(requests.map(\.outcome) == [.answered, .status(4_040_010), .status(5_000_000)])
    #expect(requests[1].metadata.transactionID == TransactionID(999))
    #expect(requests[2].fault?.kind == "loavesOutage")
    let details = try store.request(requests[0].sequence)
    #expect(details.requestBody?.json == #"{"from":["7"],"shelf":["12/3"]}"#)
    #expect(details.answerBody?.json.hasPrefix(#"{"environment":"#) == true)
    #expect(try store.request(requests[1].sequence).answerBody?.json == #"{"errorCode":4040010}"#)
  }

  @Test(
    "C4 a fault with a new effect is its file: it holds an answer, and cuts it off; in this process, there is no answer"
  )
  func fault() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      for (path, body) in [
        ("/device/v1/unfinished", #"{"installationID":"nobody","call":{}}"#), ("/sandbox/verifyReceipt", "{}"),
      ] {
        try store.set(Fault(HeldAndCutOffFault(), id: "cut"))
        async let outcome = Program.run(
          "curl",
          [
            "-sS", "-i", "-H", "Content-Type: application/json", "-d", body, "http://127.0.0.1:\(port)\(path)",
          ])
        try await store.untilFault("cut")
        try store.releaseFault("cut")
        let ended = try await outcome
        // The exit code with which curl reports that a part of the body is missing.
        #expect(ended.status == 18, "\(ended.output)")
        #expect(ended.output.contains("\r\n\r\n{\"") && !ended.output.contains("}"), "\(ended.output)")
        try store.removeFault("cut")
      }
    }
    #expect(store.requests().map(\.outcome) == [.noAnswer, .noAnswer])
    #expect(store.requests().map(\.fault?.kind) == ["heldAndCutOff", "heldAndCutOff"])
    try store.set(Fault(HeldAndCutOffFault(), id: "cut"))
    let answer = Task { try await store.verifyReceipt(Data("{}".utf8), at: .sandbox).status }
    try await store.untilFault("cut")
    try store.releaseFault("cut")
    await #expect(throws: StoreConnectionFailure.self) { try await answer.value }
  }
}
