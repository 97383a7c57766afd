import AppStoreServerAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import AppStoreEmulatorServer

@Suite("The Server API over HTTP", .timeLimit(.minutes(10)))
struct ServerAPIOverHTTPTests {
  private func authorization(_ bakery: BakeryServer) async throws -> HTTPFields {
    [.authorization: try #require(try await bakery.serverAPIAuthorization()["Authorization"])]
  }

  @Test(
    "E1 answers and errors have exactly the content type that Apple's libraries read; empty answers have none; 401 is text"
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

  @Test("E1 what is not emulated is 404 with an empty body, at Apple's hosts as well, and the journal says so")
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

  @Test("E7 each fault is the answer of its name, and for production only if it says so")
  func faults() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    let id = try await store.purchase(BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox).record
      .transactionID
    let headers = try await authorization(bakery)
    let faults: [(any FaultKind, Int, Int64?)] = [
      (TransactionNotFoundYetFault(), 404, 4_040_010), (ServerAPIErrorFault(.accountNotFoundRetryable), 404, 4_040_002),
      (ServerAPIFailureFault(.final), 500, 5_000_000), (ServerAPIFailureFault(), 500, 5_000_001),
      (RateLimitFault(), 429, 4_290_000), (TokenRefusedFault(), 401, nil), (OutageFault(), 500, 5_000_001),
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
}
