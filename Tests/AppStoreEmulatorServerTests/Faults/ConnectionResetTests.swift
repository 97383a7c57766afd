import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("What a connection looks like from outside", .timeLimit(.minutes(30)))
struct ConnectionResetTests {
  /// The exit code with which curl reports a failure to receive data.
  private static let receiveFailure: Int32 = 56

  private static func post(_ path: String, _ body: String, to base: String) async throws -> Program.Outcome {
    try await Program.run(
      "curl",
      ["-sS", "-k", "-i", "-X", "POST", "-H", "Content-Type: application/json", "-d", body, "\(base)\(path)"])
  }

  private static let unfinished = #"{"installationID":"nobody","call":{}}"#

  @Test("C4 a reset reaches the client as a reset, with and without TLS", arguments: [false, true])
  func reset(hasTLS: Bool) async throws {
    let bakery = try await BakeryServer(.init(port: 0, tlsPort: 0))
    let store = bakery.store
    let test: @Sendable (Int) async throws -> Void = { port in
      let base = "\(hasTLS ? "https" : "http")://127.0.0.1:\(port)"
      for fault in [ConnectionResetFault() as any FaultKind, AnswerLostFault(), OutageFault(.unreachable)] {
        let scope = FaultScope(calls: [.device(.unfinished), .verifyReceipt])
        try store.set(Fault(fault, id: "break", scope: scope))
        for (path, body) in [("/device/v1/unfinished", Self.unfinished), ("/sandbox/verifyReceipt", "{}")] {
          let outcome = try await Self.post(path, body, to: base)
          #expect(outcome.status == Self.receiveFailure, "\(fault) \(outcome.output)")
          #expect(outcome.output.lowercased().contains("reset"), "\(outcome.output)")
          #expect(!outcome.output.contains("HTTP/1.1"))
        }
        try store.removeFault("break")
      }
      // The next connection works.
      #expect(try await Self.post("/sandbox/verifyReceipt", "{}", to: base).output.contains("21002"))
    }
    if hasTLS {
      try await bakery.listeningWithTLS(test)
    } else {
      try await bakery.listening(test)
    }
  }

  @Test(
    "C4 noAnswer sends nothing: a client that disconnects is noticed, and nothing was done", arguments: [false, true])
  func silence(hasTLS: Bool) async throws {
    let bakery = try await BakeryServer(.init(port: 0, tlsPort: 0))
    let store = bakery.store
    let test: @Sendable (Int) async throws -> Void = { port in
      try store.set(Fault(NoAnswerFault(), id: "quiet"))
      let address = "\(hasTLS ? "https" : "http")://127.0.0.1:\(port)/sandbox/verifyReceipt"
      let curl = try Program(arguments: ["-sSk", "-d", "{}", address], executable: "curl")
      try await store.untilFault("quiet")
      // Not SIGTERM: a process that is started on a pool's thread inherits it blocked.
      curl.send(SIGKILL)
      _ = try await curl.finish()
      let request = try await store.request(RequestFilter(.verifyReceipt, outcome: .noAnswer))
      #expect(request.fault == JournaledRequest.StruckBy(id: "quiet", kind: "noAnswer"))
      #expect(try store.fault("quiet").waiting == 0)
    }
    if hasTLS {
      try await bakery.listeningWithTLS(test)
    } else {
      try await bakery.listening(test)
    }
  }

  @Test("C4 an answer that is held arrives when it is let go, over the same connection")
  func held() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      try store.set(Fault(HeldAnswerFault(), id: "hold", count: 1))
      async let outcome = Self.post("/sandbox/verifyReceipt", "{}", to: "http://127.0.0.1:\(port)")
      try await store.untilFault("hold")
      try store.releaseFault("hold")
      #expect(try await outcome.output.contains(#"{"status":21002}"#))
    }
  }

  @Test("C2 verifyReceipt: status with is_retryable, an HTTP status, 503 in an outage")
  func receipts() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      let base = "http://127.0.0.1:\(port)"
      let status = try #require(VerifyReceiptStatus(rawValue: 21199))
      for (fault, parts) in [
        (
          ReceiptStatusFault(status, isRetryable: true) as any FaultKind,
          ["HTTP/1.1 200", #"{"is_retryable":true,"status":21199}"#]
        ),
        (ReceiptServerErrorFault(httpStatus: 502), ["HTTP/1.1 502"]), (OutageFault(), ["HTTP/1.1 503"]),
      ] {
        try store.set(Fault(fault, count: 1))
        let output = try await Self.post("/production/verifyReceipt", "{}", to: base).output
        for part in parts { #expect(output.contains(part), "\(output)") }
      }
    }
  }

  @Test("C4 an outage is 503 at the device endpoint, with words")
  func outage() async throws {
    let bakery = try await BakeryServer()
    try bakery.store.set(Fault(OutageFault()))
    let reply = try await bakery.withClient { try await $0.post("/device/v1/unfinished", Self.unfinished) }
    #expect((reply.status, reply.code) == (503, "temporarilyUnavailable"))
    // The control API still works, so that the outage can be ended.
    #expect(try await bakery.withClient { try await $0.get("/control/v1/faults") }.status == 200)
  }
}
