import AppStoreServerAPI
import Foundation
import HTTPTransport
import StoreModel
import Testing

@Suite("The retries of the client", .timeLimit(.minutes(30)))
struct ClientRetryTests {
  static let finish = FinishTransaction(transactionId: TransactionID(7))
  static let extend = ExtendSubscriptionRenewalDate(
    originalTransactionId: TransactionID(7),
    ExtendRenewalDateRequest(extendByDays: 1, extendReasonCode: OpenEnum(.other), requestIdentifier: "r"))

  @Test(
    "each code is repeated exactly if Apple calls it retryable, or if it is the limit",
    arguments: ServerAPIErrorCode.allCases)
  func codes(code: ServerAPIErrorCode) async throws {
    let scripted = try ScriptedClient([.error(code), .text("", status: 200)])
    let error = try await scripted.error { try await $0.send(Self.finish) }
    let isRepeated = code.isRetryable || code == .rateLimitExceeded
    #expect((error == nil) == isRepeated && scripted.urls.count == (isRepeated ? 2 : 1))
    #expect(isRepeated || error?.code == code)
  }

  @Test("an unknown code, and an error without JSON, is reported with its status and is not repeated")
  func unknown() async throws {
    let odd = try ScriptedClient([.json(ServerAPIError(errorCode: 4_099_999, errorMessage: "New."), status: 409)])
    guard case .refused(let error)? = try await odd.error({ try await $0.send(Self.finish) }) else {
      Issue.record("no error")
      return
    }
    #expect(error.errorCode == 4_099_999 && error.code == nil && odd.urls.count == 1)
    for (text, status) in [("<html>", 400), ("", 500), (#"{"errorMessage":"x"}"#, 404), ("[1]", 302)] {
      let scripted = try ScriptedClient([.text(text, status: status)])
      guard case .unexpectedStatus(status, _)? = try await scripted.error({ try await $0.send(Self.finish) }) else {
        Issue.record("\(status)")
        continue
      }
      #expect(scripted.urls.count == 1)
    }
  }

  @Test("pauses double, and the last error is thrown after the last retry")
  func pauses() async throws {
    let scripted = try ScriptedClient([.error(.generalInternalRetryable)])
    #expect(try await scripted.error { try await $0.send(Self.finish) }?.code == .generalInternalRetryable)
    #expect(scripted.pauses == [250, 500, 1_000] && scripted.urls.count == 4)
  }

  @Test("a connection that fails is repeated if the call arrived nowhere, or has no other effect the second time")
  func connections() async throws {
    let lost = HTTPFailure.noAnswer(reason: "reset")
    let scripted = try ScriptedClient([.failure(lost), .text("", status: 200)])
    try await scripted.client.send(Self.finish)
    #expect(scripted.urls.count == 2)
    let extending = try ScriptedClient([.failure(lost)])
    guard case .noAnswer(lost)? = try await extending.error({ try await $0.send(Self.extend) }) else {
      Issue.record("no error")
      return
    }
    #expect(extending.urls.count == 1)
    let unreachable = try ScriptedClient([
      .failure(.unreachable(reason: "refused")),
      .json(ExtendRenewalDateResponse(originalTransactionId: TransactionID(7), success: true)),
    ])
    #expect(try await unreachable.client.send(Self.extend).success)
    let proxy = try ScriptedClient([.text("Bad Gateway", status: 502), .text("", status: 200)])
    try await proxy.client.send(Self.finish)
    let proxyExtending = try ScriptedClient([.text("Bad Gateway", status: 502)])
    #expect(try await proxyExtending.error { try await $0.send(Self.extend) } != nil)
    #expect(proxy.urls.count == 2 && proxyExtending.urls.count == 1)
  }

  @Test(
    "a limit is waited for until Retry-After, in UNIX milliseconds of wall time, also for calls that change something")
  func limit() async throws {
    let end = "\(Samples.date.adding(milliseconds: 3_500).millisecondsSince1970)"
    let answer = ExtendRenewalDateResponse(originalTransactionId: TransactionID(7), success: true)
    let scripted = try ScriptedClient([.error(.rateLimitExceeded, fields: ["retry-after": end]), .json(answer)])
    #expect(try await scripted.client.send(Self.extend) == answer)
    #expect(scripted.pauses == [4_000])
    let without = try ScriptedClient([.error(.rateLimitExceeded), .json(answer)])
    #expect(try await without.client.send(Self.extend) == answer)
    #expect(without.pauses == [250])
  }

  @Test("a limit that is too long ends the call, and no call to that endpoint is sent before it is over")
  func longLimit() async throws {
    let end = "\(Samples.date.adding(seconds: 120).millisecondsSince1970)"
    let scripted = try ScriptedClient([.error(.rateLimitExceeded, fields: ["Retry-After": end])])
    #expect(try await scripted.error { try await $0.send(Self.finish) }?.code == .rateLimitExceeded)
    #expect(scripted.pauses.isEmpty && scripted.urls.count == 1)
    guard case .paused(retryAfterSeconds: 120)? = try await scripted.error({ try await $0.send(Self.finish) }) else {
      Issue.record("it was sent")
      return
    }
    #expect(scripted.urls.count == 1)
    scripted.transport.setAnswers([.text("", status: 200)])
    // Another endpoint has its own limit.
    try await scripted.client.send(
      SetAppAccountToken(originalTransactionId: TransactionID(7), appAccountToken: CallTests.uuid))
    scripted.advance(seconds: 120)
    try await scripted.client.send(Self.finish)
    #expect(scripted.urls.count == 3)
  }

  @Test("an endpoint that fails several times is not asked for a while, then probed; refusals do not count as failures")
  func breaker() async throws {
    let scripted = try ScriptedClient([.error(.generalInternal)]) {
      $0.breaker = BreakerThresholds(failures: 3, openSeconds: 30)
    }
    for _ in 0..<3 { #expect(try await scripted.error { try await $0.send(Self.finish) }?.code == .generalInternal) }
    guard case .paused(retryAfterSeconds: 30)? = try await scripted.error({ try await $0.send(Self.finish) }) else {
      Issue.record("it was sent")
      return
    }
    #expect(scripted.urls.count == 3)
    scripted.advance(seconds: 30)
    try scripted.transport.setAnswers([.error(.transactionIdNotFound)])
    for _ in 0..<9 {
      #expect(try await scripted.error { try await $0.send(Self.finish) }?.code == .transactionIdNotFound)
    }
  }

  @Test("if a pause takes longer than the call may, the last error is thrown")
  func longPause() async throws {
    let scripted = try ScriptedClient([.error(.generalInternalRetryable)])
    let seconds = LockedValue<Int64>(0)
    let slow = AppStoreServerAPIClient(
      scripted.client.configuration, transport: scripted.transport,
      clock: ScriptedClock(
        date: { Samples.date }, nanoseconds: { seconds.value * 1_000_000_000 },
        sleep: { _ in seconds.value += 3_600 }))
    var error: ServerAPIClientError?
    do { try await slow.send(Self.finish) } catch let thrown as ServerAPIClientError { error = thrown }
    #expect(error?.code == .generalInternalRetryable && scripted.urls.count == 1)
  }

  @Test("an unknown error of a transport is a missing answer")
  func unknownTransportError() async throws {
    struct Odd: Error {}
    struct OddTransport: HTTPSender {
      func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws { throw Odd() }
    }
    let scripted = try ScriptedClient([])
    let client = AppStoreServerAPIClient(scripted.client.configuration, transport: OddTransport())
    var error: ServerAPIClientError?
    do { try await client.send(Self.extend) } catch let thrown as ServerAPIClientError { error = thrown }
    guard case .noAnswer(.noAnswer) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a call ends with its task")
  func cancellation() async throws {
    let scripted = try ScriptedClient([.error(.generalInternalRetryable)])
    let cancelled = AppStoreServerAPIClient(
      scripted.client.configuration, transport: scripted.transport,
      clock: ScriptedClock(date: { Samples.date }, sleep: { _ in throw CancellationError() }))
    await #expect(throws: CancellationError.self) { try await cancelled.send(Self.finish) }
    #expect(scripted.urls.count == 1)
  }
}
