import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Reset, snapshot and restore through the control API", .timeLimit(.minutes(30)))
struct LifecycleRoutesTests {
  @Test("a reset leaves the catalog and the first customers, and names the new epoch")
  func reset() async throws {
    let bakery = try await BakeryServer()
    let old = bakery.store.epoch
    try await bakery.order()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    try await bakery.withClient { client async throws in
      let reply = try await client.post("/control/v1/reset", "")
      #expect(reply.object as? [String: String] == ["epoch": bakery.store.epoch.rawValue])
      #expect(try await client.get("/control/v1/transactions").list("transactions").isEmpty)
      #expect(try await client.get("/control/v1/charges").list("charges").isEmpty)
      #expect(try await client.get("/control/v1/customers").list("customers").count == 2)
      #expect(try await client.get("/control/v1/apps").list("apps").count == 1)
    }
    #expect(bakery.store.epoch != old)
  }

  @Test("a reset removes faults and requests, a restore neither")
  func faultsAndRequests() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let fault = #"{"kind":"outage","scope":{"calls":["confirm"]}}"#
      #expect(try await client.post("/control/v1/faults", fault).status == 201)
      _ = try await client.post("/sandbox/verifyReceipt", "{}")
      let snapshot = String(decoding: try await client.get("/control/v1/snapshot").body, as: UTF8.self)
      for (path, body, number) in [("restore", snapshot, 1), ("reset", "", 0)] {
        #expect(try await client.post("/control/v1/\(path)", body).status == 200)
        #expect(try await client.get("/control/v1/faults").list("faults").count == number)
        #expect(try await client.get("/control/v1/requests").list("requests").count == number)
      }
    }
  }

  @Test("what a snapshot gave is restored as it is, here and by another emulator")
  func roundTrip() async throws {
    let (bakery, other) = (try await BakeryServer(), try await BakeryServer())
    let bought = try await bakery.order().record.transactionID
    let snapshot = try await bakery.withClient { try await $0.get("/control/v1/snapshot") }
    #expect(snapshot.status == 200)
    let body = String(decoding: snapshot.body, as: UTF8.self)
    try await bakery.order()
    for target in [bakery, other] {
      let reply = try await target.withClient { try await $0.post("/control/v1/restore", body) }
      #expect(reply.object as? [String: String] == ["epoch": target.store.epoch.rawValue])
      #expect(try await target.store.transactions().map(\.record.transactionID) == [bought])
    }
  }

  @Test("a snapshot that cannot be used is refused with words, and nothing is changed")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    try await bakery.order()
    let epoch = bakery.store.epoch
    try await bakery.withClient { client async throws in
      for (body, status, code) in [
        (#"{"snapshot":"dGVh"}"#, 422, "unusableSnapshot"), (#"{"snapshot":""}"#, 422, "unusableSnapshot"),
        (#"{"snapshot":"%%%"}"#, 400, "malformedRequest"), ("{}", 400, "malformedRequest"),
      ] {
        let reply = try await client.post("/control/v1/restore", body)
        #expect((reply.status, reply.code) == (status, code), "\(body): \(reply.message)")
      }
    }
    #expect(bakery.store.epoch == epoch)
    #expect(try await bakery.store.charges().count == 1)
  }

  @Test("a request without a body needs no content type, unless a page of another site sends it")
  func noContentType() async throws {
    let bakery = try await BakeryServer()
    try await bakery.order()
    let epoch = bakery.store.epoch
    try await bakery.withClient { client async throws in
      #expect(
        try await client.send(.post, "/control/v1/reset", headers: ["Origin": "http://evil.example"]).status == 403)
      #expect(
        try await client.send(.post, "/control/v1/reset", headers: ["Sec-Fetch-Site": "cross-site"]).status == 403)
      for type in ["text/plain", "application/x-www-form-urlencoded"] {
        #expect(try await client.send(.post, "/control/v1/reset", headers: ["Content-Type": type]).status == 415)
      }
      #expect(bakery.store.epoch == epoch)
      #expect(try await client.send(.post, "/control/v1/reset").status == 200)
      #expect(try await client.send(.delete, "/control/v1/faults").status == 200)
    }
    #expect(bakery.store.epoch != epoch)
  }

  @Test("they need the token and JSON, as the whole control API does")
  func guarded() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "secret"))
    let epoch = bakery.store.epoch
    try await bakery.withClient { client async throws in
      #expect(try await client.post("/control/v1/reset", "").status == 401)
      #expect(try await client.get("/control/v1/snapshot").status == 401)
      let form = ["Content-Type": "text/plain", "Authorization": "Bearer secret"]
      #expect(try await client.post("/control/v1/reset", "", headers: form).status == 415)
    }
    #expect(bakery.store.epoch == epoch)
  }
}
