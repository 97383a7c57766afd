import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Retries of verifyReceipt requests", .timeLimit(.minutes(30)))
struct RetryTests {
  @Test("pauses double up to the longest, and up to half of each is random")
  func backoff() async throws {
    for (draw, pauses) in [(0.0, [250, 500, 1_000, 2_000, 2_000]), (1.0, [125, 250, 500, 1_000, 1_000])] {
      let scripted = try ScriptedVerifier([.http(500)], draw: draw) {
        $0.retries = 5
        $0.longestPauseMilliseconds = 2_000
        $0.breaker.failures = 100
      }
      _ = await scripted.refusal()
      #expect(scripted.time.pauses == pauses.map { Int64($0) })
    }
  }

  @Test("the policy limits the number of retries", arguments: [0, 1, 10])
  func bound(retries: Int) async throws {
    let scripted = try ScriptedVerifier([.status(21009)]) {
      $0.retries = retries
      $0.longestPauseMilliseconds = 250
    }
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(scripted.server.requests.count == retries + 1)
  }

  @Test("a store that recovers is used")
  func recovery() async throws {
    let scripted = try ScriptedVerifier([
      .failure(.timeout), .http(500), .json("garbage"), StoreAnswer.app(),
    ])
    #expect(try await scripted.verify().purchases.count == 1)
    #expect(scripted.problems.all.count == 3)
  }

  @Test("21002 means an unreadable receipt only after every retry; after the timeout the result is unknown")
  func malformed() async throws {
    let scripted = try ScriptedVerifier([.status(21002), .status(21002), StoreAnswer.app()])
    #expect(await scripted.refusal() == nil)
    let slow = try ScriptedVerifier([.slow(milliseconds: 8_000, .status(21002))])
    #expect(await slow.refusal() == .storeUnavailable(retryAfterSeconds: 30))
  }

  @Test("a slow store delays a verification at most for the total timeout, each request at most for its own")
  func slowStore() async throws {
    let scripted = try ScriptedVerifier([.slow(milliseconds: 60_000, StoreAnswer.app())]) { $0.breaker.failures = 100 }
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(scripted.time.milliseconds <= 25_000)
    let timeouts = scripted.server.requests.map(\.timeoutMilliseconds)
    #expect(timeouts == [10_000, 10_000, 25_000 - 20_000 - 250 - 500])
  }

  @Test("time used at one endpoint is no longer available at the other")
  func slowRedirection() async throws {
    let scripted = try ScriptedVerifier(
      [.slow(milliseconds: 2_000, .status(21007))], sandbox: [.slow(milliseconds: 2_000, StoreAnswer.app())]
    ) {
      $0.answerTimeoutSeconds = 3
      $0.totalTimeoutSeconds = 3
    }
    #expect(await scripted.refusal()?.name == "storeUnavailable")
    #expect(scripted.server.requests.map(\.timeoutMilliseconds) == [3_000, 1_000])
  }

  @Test("Retry-After is obeyed if there is time", arguments: [429, 503])
  func retryAfter(httpStatus: Int) async throws {
    let scripted = try ScriptedVerifier([.http(httpStatus, retryAfter: "3"), StoreAnswer.app()])
    #expect(await scripted.refusal() == nil)
    #expect(scripted.time.pauses == [3_000])
  }

  @Test("a Retry-After that is too long ends the verification, and no request is sent before it is over")
  func longRetryAfter() async throws {
    let scripted = try ScriptedVerifier([.http(429, retryAfter: "120"), StoreAnswer.app()])
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 120))
    #expect(scripted.time.pauses.isEmpty)
    scripted.time.advance(milliseconds: 100_500)
    #expect(await scripted.refusal() == .storeUnavailable(retryAfterSeconds: 20))
    #expect(scripted.server.requests.count == 1)
    scripted.time.advance(milliseconds: 19_500)
    #expect(await scripted.refusal() == nil)
  }

  @Test("the request contains the receipt in base64, and the secret if there is one")
  func request() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()])
    _ = try await scripted.verify()
    #expect(scripted.server.requests.map(\.body) == [Data(#"{"receipt-data":"MAA="}"#.utf8)])
    let secretive = try ScriptedVerifier([StoreAnswer.app()]) { $0.sharedSecret = SharedSecret("c0ffee") }
    _ = try await secretive.verify()
    #expect(secretive.server.requests.map(\.body) == [Data(#"{"receipt-data":"MAA=","password":"c0ffee"}"#.utf8)])
  }
}
