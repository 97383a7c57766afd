import AppStoreServerAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import AppStoreEmulatorServer

@Suite("The Server API over HTTP", .timeLimit(.minutes(30)))
struct ServerAPIOverHTTPTests {
  private func authorization(_ bakery: BakeryServer) async throws -> HTTPFields {
    [.authorization: try #require(try await bakery.serverAPIAuthorization()["Authorization"])]
  }

  @Test(
    "answers and errors have exactly the content type that Apple's libraries read; empty answers have none; 401 is text"
  )
  func responses() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let id = try await store.purchase(BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox).record
      .transactionID
    let headers = try await authorization(bakery)
    try await bakery.withClient { client async throws in
      // Node sends a question mark without a query.
      let info = try await client.execute(uri: "/sandbox/inApps/v1/transactions/\(id)?", method: .get, headers: headers)
      #expect(info.status == .ok && info.headers[.contentType] == "application/json")
      let missing = try await client.execute(uri: "/sandbox/inApps/v1/transactions/7", method: .get, headers: headers)
      #expect(missing.status == .notFound && missing.headers[.contentType] == "application/json")
      let error = try JSONDecoder().decode(ServerAPIError.self, from: Data(buffer: missing.body))
      #expect(error.code == .transactionIdNotFound)
      let unauthenticated = try await client.execute(uri: "/sandbox/inApps/v1/transactions/\(id)", method: .get)
      #expect(
        unauthenticated.status == .unauthorized && String(buffer: unauthenticated.body).hasPrefix("Unauthenticated"))
      let finished = try await client.execute(
        uri: "/sandbox/inApps/v1/transactions/\(id)/finish", method: .post, headers: headers)
      #expect(finished.status == .ok && finished.body.readableBytes == 0)
      let told = try await client.execute(
        uri: "/sandbox/inApps/v2/transactions/consumption/\(id)", method: .put, headers: headers,
        body: ByteBuffer(
          string: #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#))
      #expect(told.status == .accepted && told.body.readableBytes == 0)
      try store.set(Fault(RateLimitFault(retryAfterMilliseconds: 5_000), count: 1))
      let limited = try await client.execute(
        uri: "/sandbox/inApps/v1/transactions/\(id)", method: .get, headers: headers)
      #expect(limited.status == .tooManyRequests)
      #expect(limited.headers[.retryAfter] == "\(BakeryServer.opening.millisecondsSince1970 + 5_000)")
    }
  }

  @Test("what is not emulated is 404 with an empty body, at Apple's hosts as well, and the journal says so")
  func notEmulated() async throws {
    let bakery = try await BakeryServer()
    let headers = try await authorization(bakery)
    try await bakery.withClient { client async throws in
      for (method, path) in [
        (.put, "/sandbox/inApps/v1/messaging/default/loaf/en-US"), (.get, "/production/inApps/v1/messaging/image/list"),
        (.get, "/sandbox/groups/v1/currentGroups/7"), (.post, "/sandbox/advancedCommerce/v1/subscription/create"),
        (.get, "/sandbox/inApps/v1/transactions/7/8/9"), (.get, "/sandbox/inApps/v3/history/7"),
      ] as [(HTTPRequest.Method, String)] {
        let answer = try await client.execute(uri: path, method: method, headers: headers)
        #expect(answer.status == .notFound && answer.body.readableBytes == 0, "\(path) \(String(buffer: answer.body))")
        let journaled = try #require(bakery.store.requests().last)
        #expect(journaled.reason?.hasPrefix("not emulated") == true, "\(path)")
      }
    }
  }

  @Test("each fault is the answer of its name, and for production only if it says so")
  func faults() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let id = try await store.purchase(BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox).record
      .transactionID
    let headers = try await authorization(bakery)
    let faults: [(any FaultKind, Int, Int64?)] = [
      (TransactionNotFoundYetFault(), 404, 4_040_010), (ServerAPIErrorFault(.accountNotFoundRetryable), 404, 4_040_002),
      (ServerAPIFailureFault(.final), 500, 5_000_000), (ServerAPIFailureFault(), 500, 5_000_001),
      (RateLimitFault(), 429, 4_290_000), (TokenRefusedFault(), 401, nil),
      (ClocksApartFault(aheadMilliseconds: 3_700_000), 401, nil),
      (ClocksApartFault(aheadMilliseconds: -3_700_000), 401, nil), (OutageFault(), 500, 5_000_001),
    ]
    try await bakery.withClient { client async throws in
      for (kind, status, code) in faults {
        try store.set(Fault(kind, count: 1))
        let answer = try await client.execute(
          uri: "/sandbox/inApps/v1/transactions/\(id)", method: .get, headers: headers)
        #expect(answer.status.code == status, "\(kind)")
        #expect((try? JSONDecoder().decode(ServerAPIError.self, from: Data(buffer: answer.body)))?.errorCode == code)
        #expect(store.requests().last?.fault != nil)
        let next = try await client.execute(
          uri: "/sandbox/inApps/v1/transactions/\(id)", method: .get, headers: headers)
        #expect(next.status == .ok, "\(kind)")
      }
      try store.set(Fault(AppNotReleasedFault()))
      let sandbox = try await client.execute(
        uri: "/sandbox/inApps/v1/transactions/\(id)", method: .get, headers: headers)
      let production = try await client.execute(
        uri: "/production/inApps/v1/transactions/\(id)", method: .get, headers: headers)
      #expect((sandbox.status, production.status) == (.ok, .unauthorized))
    }
  }

  @Test("G6 the log says why a backend's request was refused, and says nothing about one that was answered")
  func log() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.store.purchase(BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox)
      .record.transactionID
    let (headers, log) = (try await authorization(bakery), LogBook())
    let router = Router(context: EmulatorRequestContext.self)
    BackendRoutes(store: bakery.store).add(to: router)
    @Sendable func refusals() -> [String] { log.lines.filter { $0.hasPrefix("info Refused ") } }
    try await Application(router: router, logger: log.logger).test(.router) { client async throws in
      let path = "/sandbox/inApps/v1/transactions/\(id)"
      #expect(try await client.execute(uri: path, method: .get, headers: headers).status == .ok)
      #expect(refusals() == [])
      #expect(try await client.execute(uri: path, method: .get).status == .unauthorized)
      let receipt = ByteBuffer(string: #"{"receipt-data":"QUJD\nREVG"}"#)
      #expect(try await client.execute(uri: "/sandbox/verifyReceipt", method: .post, body: receipt).status == .ok)
      let image = "/production/inApps/v1/messaging/image/list"
      #expect(try await client.execute(uri: image, method: .get, headers: headers).status == .notFound)
    }
    let said = refusals()
    #expect(said.count == 3, "\(log.lines)")
    let reasons = bakery.store.requests().compactMap(\.reason)
    #expect(reasons.count == 3)
    for (line, reason) in zip(said, reasons) { #expect(line.contains(" reason=\(reason)"), "\(line)") }
    #expect(said.first?.contains("endpoint=getTransactionInfo ") == true, "\(said)")
    #expect(said.dropFirst().first?.contains("endpoint=verifyReceipt ") == true, "\(said)")
  }
}
