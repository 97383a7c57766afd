import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Asking the store again", .timeLimit(.minutes(10)))
struct RetryTests {
  @Test("pauses double up to the longest, and half of each is by chance")
  func backoff() async throws {
    for (draw, pauses) in [(0.0, [250, 500, 1_000, 2_000, 2_000]), (1.0, [125, 250, 500, 1_000, 1_000])] {
      let counter = try Counter([.http(500)], draw: draw) {
        $0.retries = 5
        $0.longestPauseMilliseconds = 2_000
        $0.breaker.failures = 100
      }
      _ = await counter.refusal()
      #expect(counter.time.pauses == pauses.map { Int64($0) })
    }
  }

  @Test("no more is asked than the policy's retries", arguments: [0, 1, 10])
  func bound(retries: Int) async throws {
    let counter = try Counter([.status(21009)]) {
      $0.retries = retries
      $0.longestPauseMilliseconds = 250
    }
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(counter.server.requests.count == retries + 1)
  }

  @Test("a store that comes back is heard")
  func recovery() async throws {
    let counter = try Counter([
      .failure(.timeout), .http(500), .json("garbage"), StoreAnswer.app(),
    ])
    #expect(try await counter.verify().purchases.count == 1)
    #expect(counter.troubles.all.count == 3)
  }

  @Test("21002 is bad data only after it was said each time; with time up it is not known")
  func malformed() async throws {
    let counter = try Counter([.status(21002), .status(21002), StoreAnswer.app()])
    #expect(await counter.refusal() == nil)
    let slow = try Counter([.slow(milliseconds: 8_000, .status(21002))])
    #expect(await slow.refusal() == .storeUnavailable(retryAfterSeconds: 30))
  }

  @Test("a slow store holds a verification no longer than the total timeout, each question no longer than its own")
  func slowStore() async throws {
    let counter = try Counter([.slow(milliseconds: 60_000, StoreAnswer.app())]) { $0.breaker.failures = 100 }
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 30))
    #expect(counter.time.milliseconds <= 25_000)
    let timeouts = counter.server.requests.map(\.timeoutMilliseconds)
    #expect(timeouts == [10_000, 10_000, 25_000 - 20_000 - 250 - 500])
  }

  @Test("time that was used up at one door is not there at the other")
  func slowRedirection() async throws {
    let counter = try Counter(
      [.slow(milliseconds: 2_000, .status(21007))], sandbox: [.slow(milliseconds: 2_000, StoreAnswer.app())]
    ) {
      $0.answerTimeoutSeconds = 3
      $0.totalTimeoutSeconds = 3
    }
    #expect(await counter.refusal()?.name == "storeUnavailable")
    #expect(counter.server.requests.map(\.timeoutMilliseconds) == [3_000, 1_000])
  }

  @Test("Retry-After is waited for where time allows", arguments: [429, 503])
  func retryAfter(httpStatus: Int) async throws {
    let counter = try Counter([.http(httpStatus, retryAfter: "3"), StoreAnswer.app()])
    #expect(await counter.refusal() == nil)
    #expect(counter.time.pauses == [3_000])
  }

  @Test("a Retry-After that is too long ends the verification, and nobody asks before it is over")
  func longRetryAfter() async throws {
    let counter = try Counter([.http(429, retryAfter: "120"), StoreAnswer.app()])
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 120))
    #expect(counter.time.pauses.isEmpty)
    counter.time.advance(milliseconds: 100_500)
    #expect(await counter.refusal() == .storeUnavailable(retryAfterSeconds: 20))
    #expect(counter.server.requests.count == 1)
    counter.time.advance(milliseconds: 19_500)
    #expect(await counter.refusal() == nil)
  }

  @Test("what is sent is the receipt in base64, and the secret if there is one")
  func request() async throws {
    let counter = try Counter([StoreAnswer.app()])
    _ = try await counter.verify()
    #expect(counter.server.requests.map(\.body) == [Data(#"{"receipt-data":"MAA="}"#.utf8)])
    let secretive = try Counter([StoreAnswer.app()]) { $0.sharedSecret = SharedSecret("c0ffee") }
    _ = try await secretive.verify()
    #expect(secretive.server.requests.map(\.body) == [Data(#"{"receipt-data":"MAA=","password":"c0ffee"}"#.utf8)])
  }
}
