import Foundation
import HTTPTransport
import OpenStoreKit
import StoreModel
import Testing

@testable import SampleApp

@Suite("Airplane mode", .timeLimit(.minutes(30)))
struct NetworkTests {
  @Test("a task that waits for the network continues when it returns, or can be cancelled")
  func waiting() async {
    let (waits, waited) = AsyncStream.makeStream(of: Void.self)
    var beginnings = waits.makeAsyncIterator()
    let switches = DeviceSwitches(isOffline: true) { waited.yield() }
    let first = Task { await switches.waitUntilOnline() }
    // Ensures that the task is waiting already.
    await beginnings.next()
    switches.isOffline = false
    await first.value
    // With a network the call returns at once.
    await switches.waitUntilOnline()
    switches.isOffline = true
    let second = Task { await switches.waitUntilOnline() }
    await beginnings.next()
    second.cancel()
    await second.value
    waited.finish()
    #expect(await beginnings.next() == nil, "no other task has waited")
  }

  @Test("without a network no request is sent to the purchase server, and a response in progress ends")
  func transport() async throws {
    let switches = DeviceSwitches(isOffline: true)
    let server = CuttingServer(switches: switches)
    let transport = PhoneTransport(
      base: server, switches: switches, steps: StepReporter(send: EventSender { _ in }, isOn: false))
    let call = HTTPCall("GET", URL(string: "http://127.0.0.1:1/v1/products")!)
    await #expect(throws: HTTPFailure.self) { try await transport.reply(to: call) }
    #expect(server.calls == 0)
    switches.isOffline = false
    await #expect(throws: HTTPFailure.noAnswer(reason: "the phone has lost its network")) {
      try await transport.reply(to: call)
    }
    #expect(server.calls == 1)
  }

  /// Loses the network after the first piece of its response.
  private final class CuttingServer: HTTPSender {
    private let switches: DeviceSwitches
    private let sent = LockedValue(0)

    var calls: Int { sent.value }

    init(switches: DeviceSwitches) { self.switches = switches }

    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      sent.withLock { $0 += 1 }
      try sink.begin(HTTPReplyHead(status: 200))
      try sink.take(Data([1]))
      switches.isOffline = true
      try sink.take(Data([2]))
    }
  }

  @Test("C4 a request of a purchase without an answer is reported once, and again only after an answer")
  func unanswered() async throws {
    let reports = LockedValue<[StepReport]>([])
    let sender = EventSender { event in if case .step(let report) = event { reports.withLock { $0.append(report) } } }
    let base = FailingStore()
    let store = OutageConnection(base: base, steps: StepReporter(send: sender, isOn: true))
    let finish = FinishCall(transactionID: try #require(TransactionID(rawValue: "7")))
    func finishes(after error: (any Error)?) async -> Int {
      base.error.value = error
      _ = try? await store.send(finish, for: "installation")
      return reports.value.count
    }
    let (away, busy) = (
      StoreConnectionFailure.noAnswer(reason: "away"), StoreRefusal(.temporarilyUnavailable, "Try again later.")
    )
    #expect(await finishes(after: away) == 1)
    #expect(reports.value == [StepReport(.storeUnreachable, transaction: "7", detail: away.description)])
    for error in [away, busy, nil] as [(any Error)?] { #expect(await finishes(after: error) == 1) }
    #expect(await finishes(after: busy) == 2)
    // A refusal is an answer.
    #expect(await finishes(after: StoreRefusal(.unknownTransaction, "No.")) == 2)
    #expect(await finishes(after: away) == 3)
    // Other requests belong to no purchase.
    await #expect(throws: StoreConnectionFailure.self) { try await store.send(SignOutCall(), for: "installation") }
    #expect(reports.value.count == 3)
  }

  /// Fails with an error, or gives an empty answer.
  private final class FailingStore: AppStoreConnection {
    let error = LockedValue<(any Error)?>(nil)

    func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
      if let error = error.value { throw error }
      return try #require(EmptyAnswer() as? Call.Answer)
    }
  }

  @Test("waits grow up to four seconds")
  func delays() {
    let delays = [1, 2, 3, 4, 5, 60].map { NetworkRetry.pauses.pause(afterFailures: $0) }
    #expect(delays == [0.5, 1, 2, 4, 4, 4].map { Duration.seconds($0) })
  }
}
