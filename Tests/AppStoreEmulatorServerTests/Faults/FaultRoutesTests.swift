import AppStoreEmulator
import ControlAPI
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Faults at the control API", .timeLimit(.minutes(30)))
struct FaultRoutesTests {
  @Test("a fault is set, listed, looked at, and removed")
  func life() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let made = try await client.post(
        "/control/v1/faults", #"{"kind":"answerLost","count":2,"scope":{"customer":"ada"}}"#)
      #expect(made.status == 201)
      #expect(made.object["id"] as? String == "fault-1")
      #expect(made.object["remaining"] as? Int == 2)
      #expect((made.object["scope"] as? [String: String]) == ["customer": "ada"])
      _ = try await client.post("/control/v1/faults", #"{"kind":"outage","id":"all/down"}"#)
      let list = try await client.get("/control/v1/faults").list("faults")
      #expect(list.map { $0["id"] as? String } == ["fault-1", "all/down"])
      #expect(try await client.get("/control/v1/faults/all%2Fdown").object["kind"] as? String == "outage")
      let removed = try await client.send(.delete, "/control/v1/faults/fault-1", "{}")
      #expect((removed.status, removed.object["kind"] as? String) == (200, "answerLost"))
      let gone = try await client.get("/control/v1/faults/fault-1")
      #expect((gone.status, gone.code) == (404, "unknownFault"))
      #expect(try await client.send(.delete, "/control/v1/faults", "{}").object["removed"] as? Int == 1)
      #expect(try await client.get("/control/v1/faults").list("faults").isEmpty)
    }
    #expect(bakery.store.faults().isEmpty)
  }

  @Test("what a scope names and the store lacks is said when the fault is set, and listed until the store has it")
  func warnings() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let scopes: [(scope: String, missing: [String])] = [
      (#""customer":"ada""#, []), (#""customer":"ada","environment":"Production""#, ["customer ada"]),
      (#""productId":"\#(BakeryServer.loaf)","bundleId":"\#(BakeryServer.app)""#, []),
      (#""productId":"\#(BakeryServer.loaf)""#, []), (#""productId":"cake""#, ["product cake"]),
      (
        #""productId":"\#(BakeryServer.loaf)","bundleId":"org.example.none""#,
        ["app org.example.none", "product \(BakeryServer.loaf)"]
      ),
      (
        #""customer":"bob","productId":"cake","bundleId":"org.example.none","installationId":"phone""#,
        ["customer bob", "app org.example.none", "product cake", "installation phone"]
      ),
    ]
    try await bakery.withClient { client async throws in
      var answers: [[String]] = []
      for (scope, missing) in scopes {
        let made = try await client.post("/control/v1/faults", #"{"kind":"outage","scope":{\#(scope)}}"#)
        #expect(made.status == 201)
        let warnings = made.object["warnings"] as? [String] ?? []
        #expect(warnings.count == missing.count, "\(warnings)")
        for (warning, name) in zip(warnings, missing) { #expect(warning.contains(name), "\(warning)") }
        answers.append(warnings)
      }
      let said = answers
      func listed() async throws -> [[String]] {
        try await client.get("/control/v1/faults").list("faults").map { $0["warnings"] as? [String] ?? [] }
      }
      #expect(try await listed() == said)
      for environment in [StoreEnvironment.sandbox, .production] {
        try await bakery.store.addCustomer(Customer(environment: environment, name: "bob"))
      }
      try await bakery.store.addCustomer(Customer(environment: .production, name: "ada"))
      let customers = ["customer ada", "customer bob"]
      let rest = said.map { $0.filter { warning in !customers.contains { warning.contains($0) } } }
      #expect(try await listed() == rest && rest != said)
    }
  }

  @Test("what a fault holds is counted, and released by its id")
  func release() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.withClient { client async throws in
      _ = try await client.post("/control/v1/faults", #"{"kind":"heldRequest","id":"hold"}"#)
      async let held = client.post("/sandbox/verifyReceipt", "{}")
      try await store.untilFault("hold")
      #expect(try await client.get("/control/v1/faults/hold").object["waiting"] as? Int == 1)
      #expect(try await client.post("/control/v1/faults/hold/release", "{}").object["released"] as? Int == 1)
      #expect(try await held.object["status"] as? Int == 21002)
      let none = try await client.post("/control/v1/faults/none/release", "{}")
      #expect((none.status, none.code) == (404, "unknownFault"))
    }
  }

  @Test(
    "what cannot be set is refused, with words that name it, and sets nothing",
    arguments: [
      (#"{"kind":"flood"}"#, 400, "malformedRequest", "flood"),
      (#"{"kind":"outage","probabilty":0.5}"#, 400, "malformedRequest", "probabilty"),
      (#"{"kind":"receiptStatus","status":1}"#, 400, "malformedRequest", "21000"),
      (#"{"kind":"outage","count":0}"#, 422, "impossibleFault", "count"),
      (#"{"kind":"declinedCard","scope":{"calls":["signIn"]}}"#, 422, "impossibleFault", "signIn"),
      (#"{"kind":"outage","id":"taken"}"#, 409, "faultExists", "taken"),
    ])
  func refused(body: String, status: Int, code: String, word: String) async throws {
    let bakery = try await BakeryServer()
    try bakery.store.set(Fault(OutageFault(), id: "taken"))
    let reply = try await bakery.withClient { try await $0.post("/control/v1/faults", body) }
    #expect((reply.status, reply.code) == (status, code))
    #expect(reply.message.contains(word), "\(reply.message)")
    #expect(bakery.store.faults().count == 1)
  }

  @Test("the description names the kinds there are, the calls there are, and every member a kind has")
  func text() throws {
    let document = try #require(
      try JSONSerialization.jsonObject(with: try ControlEndpoints.openAPI()) as? [String: Any])
    let check = SchemaCheck(document: document)
    func values(_ schema: String) -> [String]? { check.resolve("#/components/schemas/\(schema)")?["enum"] as? [String] }
    #expect(values("FaultKind") == FaultKinds.all.map { $0.name })
    #expect(values("RequestKind") == RequestKind.allCases.map(\.rawValue))
    #expect(values("RequestOutcome") == RequestOutcome.Name.allCases.map(\.rawValue))
    let kinds: [any FaultKind] = [
      AppErrorFault(.failedPaymentSheet), SlowAnswerFault(milliseconds: 5), OutageFault(.unreachable),
      ReceiptStatusFault(try #require(VerifyReceiptStatus(rawValue: 21100)), isRetryable: true),
      ReceiptServerErrorFault(httpStatus: 500),
    ]
    for kind in kinds {
      let json = try JSONSerialization.jsonObject(with: DeviceAPI.encoder().encode(Fault(kind)))
      #expect(check.faults(json, ["$ref": "#/components/schemas/Fault"]) == [])
    }
  }
}
