import Foundation
import HTTPTransport
import Testing

@testable import SampleApp

@Suite("Airplane mode", .timeLimit(.minutes(10)))
struct NetworkTests {
  @Test("a task that waits for the network continues when it returns, or can be cancelled")
  func waiting() async {
    let (waits, waited) = AsyncStream.makeStream(of: Void.self)
    var beginnings = waits.makeAsyncIterator()
    let network = NetworkSwitch(isOn: false) { waited.yield() }
    let first = Task { await network.waitUntilOn() }
    // Ensures that the task is waiting already.
    await beginnings.next()
    network.isOn = true
    await first.value
    // With a network the call returns at once.
    await network.waitUntilOn()
    network.isOn = false
    let second = Task { await network.waitUntilOn() }
    await beginnings.next()
    second.cancel()
    await second.value
    waited.finish()
    #expect(await beginnings.next() == nil, "no other task has waited")
  }

  @Test("without a network no request is sent to the purchase server, and a response in progress ends")
  func transport() async throws {
    let network = NetworkSwitch(isOn: false)
    let server = CuttingServer(network: network)
    let transport = PhoneTransport(
      base: server, network: network, steps: StepReporter(send: EventSender { _ in }, isOn: false))
    let call = HTTPCall("GET", URL(string: "http://127.0.0.1:1/v1/products")!)
    await #expect(throws: HTTPFailure.self) { try await transport.reply(to: call) }
    #expect(server.calls == 0)
    network.isOn = true
    await #expect(throws: HTTPFailure.noAnswer(reason: "the phone has lost its network")) {
      try await transport.reply(to: call)
    }
    #expect(server.calls == 1)
  }

  /// Loses the network after the first piece of its response.
  private final class CuttingServer: HTTPSender, @unchecked Sendable {
    private let network: NetworkSwitch
    private(set) var calls = 0

    init(network: NetworkSwitch) { self.network = network }

    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      calls += 1
      try sink.begin(HTTPReplyHead(status: 200))
      try sink.take(Data([1]))
      network.isOn = false
      try sink.take(Data([2]))
    }
  }

  @Test("waits grow up to four seconds")
  func delays() {
    let delays = [1, 2, 3, 4, 5, 60].map { NetworkRetry.delay(afterFailures: $0) }
    #expect(delays == [0.5, 1, 2, 4, 4, 4].map { Duration.seconds($0) })
  }
}
