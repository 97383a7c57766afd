import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("A feed of events", .timeLimit(.minutes(30)))
struct EventFeedTests {
  /// The number of starts, set by a test.
  private final class Starts: Sendable {
    private let count = LockedValue(1)

    var now: Int {
      get { count.value }
      set { count.value = newValue }
    }
  }

  private static func step(_ number: Int) -> String { "id: \(number)\nevent: step\ndata: \(number)\n\n" }

  @Test(
    "an interrupted stream continues after the last event, or from the beginning if the phone was restarted; each reconnection waits first"
  )
  func resumes() async throws {
    let (starts, log, clock) = (Starts(), LogBook(), SteppedClock())
    let server = try CannedServer([
      CannedServer.stream(Self.step(1) + Self.step(2)),
      CannedServer.stream("retry: 500\n\n" + Self.step(3) + "id: 4\nevent: step\ndata: cut"),
      CannedServer.brokenStream, CannedServer.stream(Self.step(1)),
    ])
    let (received, receiver) = AsyncStream.makeStream(of: String.self)
    let feed = EventFeed(address: server.address, starts: { starts.now }, logger: log.logger, clock: clock)
    let listening = Task { await feed.listen { receiver.yield($0.data) } }
    for last in [nil, "2", "3", nil] {
      let request = try #require(await server.nextRequest()).lowercased()
      #expect(request.contains("last-event-id: \(last ?? "")") == (last != nil), "\(request)")
      #expect(await clock.nextSleep() == .milliseconds(EventFeed.pauseMilliseconds))
      if last == "3" { starts.now += 1 }
      clock.release()
    }
    var steps: [String] = []
    for await step in received {
      steps.append(step)
      if steps.count == 4 { break }
    }
    #expect(steps == ["1", "2", "3", "1"])
    listening.cancel()
    await listening.value
    #expect(log.lines.isEmpty, "an interrupted stream must not be logged: \(log.lines)")
  }

  @Test("the reason of a refusal is logged, the same reason once; an unreachable server is not logged")
  func refused() async throws {
    let (log, clock) = (LogBook(), SteppedClock())
    let refusal = CannedServer.answer("503 Service Unavailable", "Too many listen.")
    let endless = "data: " + String(repeating: "a", count: EventStreamReader.largestEventBytes + 1)
    let server = try CannedServer([refusal, refusal, CannedServer.stream(endless)])
    let listening = Task { await EventFeed(address: server.address, logger: log.logger, clock: clock).listen { _ in } }
    for count in [1, 1, 2, 2, 2] {
      #expect(await clock.nextSleep() != nil)
      #expect(log.lines.count == count, "\(log.lines)")
      clock.release()
    }
    #expect(log.lines.first?.contains("503: Too many listen.") == true)
    #expect(log.lines.last?.contains("larger than") == true)
    listening.cancel()
    await listening.value
  }

  @Test("a malformed step is logged, and the steps after it are received")
  func malformed() async throws {
    let log = LogBook()
    let good = #"{"number":2,"time":0,"step":"button","product":"com.example.tea"}"#
    let server = try CannedServer([
      CannedServer.stream("event: step\ndata: {\"step\":\"danced\"}\n\nevent: step\ndata: \(good)\n\n")
    ])
    let processes = DemoProcesses(logger: log.logger)
    let notifications = try #require(processes.pageState.signal.notifications())
    let device = SupervisedProgram("phone", report: { _ in }, logger: log.logger) { _ in [] }
    processes.listen(to: device, at: server.address)
    for await _ in notifications.stream where processes.pageState.scene.flows["phone"]?.product == "com.example.tea" {
      break
    }
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.contains("danced") == true, "\(log.lines)")
    await processes.close()
  }

  @Test("a malformed response of the store is logged")
  func malformedResponse() async throws {
    let log = LogBook()
    let sold = #"{"transactions":[]}"#
    let refunds = """
      {"refunds": [{"transactionId": "1", "bundleId": "com.example.app", "environment": "Sandbox", "customer": "customer",
        "productId": "com.example.tea", "amount": 1990, "currency": "USD", "date": 0}]}
      """
    let change = CannedServer.stream("event: changed\ndata: \n\n")
    let server = try CannedServer([
      change, CannedServer.answer("200 OK", "<html>"), change, CannedServer.answer("200 OK", sold),
      CannedServer.answer("200 OK", refunds), CannedServer.answer("200 OK", #"{"notifications":[]}"#),
    ])
    let processes = DemoProcesses(logger: log.logger)
    let notifications = try #require(processes.pageState.signal.notifications())
    processes.listen(toStoreAt: server.address)
    // The page shows the refund. The malformed response was logged before it.
    for await _ in notifications.stream { break }
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.contains("The store's records cannot be read") == true, "\(log.lines)")
    await processes.close()
  }

  @Test(
    "B6 H1 a purchase with a quantity above 1 and a refund complete their stations of the tour, whatever else happened")
  func goals() async throws {
    try await RunningStore.open { store in
      for quantity in [1, 3, 1] { try await store.buy(quantity: quantity) }
      for _ in 1...2 {
        let rose = try await store.buy()
        try await store.store.refund(try #require(TransactionID(rawValue: rose)))
      }
      let (log, stations) = (LogBook(), TourStation.all(first: "phone", second: "tablet"))
      let processes = DemoProcesses(logger: log.logger)
      let notifications = try #require(processes.pageState.signal.notifications())
      processes.listen(toStoreAt: try #require(URL(string: store.address)))
      for await _ in notifications.stream where processes.pageState.scene.tour.doneCount == 2 { break }
      let tour = processes.pageState.scene.tour
      let done = stations.indices.filter { tour.isDone($0) }.map { stations[$0].title }
      #expect(done == ["Quantity", "Refund"])
      #expect(log.lines.isEmpty, "\(log.lines)")
      await processes.close()
    }
  }
}
