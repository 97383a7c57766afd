import HTTPTypes
import Hummingbird
import Logging
import ServiceLifecycle
import SharedFixtures
import Testing
import WebSupport

@Suite(.timeLimit(.minutes(30))) struct LiveStreamTests {
  @Test("An event of several lines is one event, with its number")
  func text() {
    #expect(
      ServerSentEvent(name: "step", data: "a\nb\r\nc", id: 4).text
        == "id: 4\nevent: step\ndata: a\ndata: b\ndata: c\n\n")
    #expect(ServerSentEvent(name: "changed", data: "").text == "event: changed\ndata: \n\n")
  }

  @Test("A listener is notified of a change; many changes before it reads are one")
  func rings() async throws {
    let signal = PageSignal()
    let (first, second) = (try #require(signal.notifications()), try #require(signal.notifications()))
    for _ in 0..<100 { signal.notify() }
    var iterator = first.stream.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    first.end()
    #expect(await iterator.next() == nil)
    var other = second.stream.makeAsyncIterator()
    #expect(await other.next() != nil)
    signal.notify()
    #expect(await other.next() != nil)
  }

  @Test("Streams above the limit are refused; a stream that ends frees its slot")
  func audience() {
    let signal = PageSignal()
    var listeners: [(stream: AsyncStream<Void>, end: @Sendable () -> Void)] = []
    while let listener = signal.notifications() { listeners.append(listener) }
    #expect(listeners.count == 200)
    listeners[0].end()
    #expect(signal.notifications() != nil)
  }

  @Test("A stream begins with one event, and ends when its server stops", .timeLimit(.minutes(30)))
  func serverStops() async throws {
    let signal = PageSignal()
    let router = Router()
    router.get("live") { request, _ in try Response.liveStream(signal, for: request) }
    let (received, receiver) = AsyncStream.makeStream(of: String.self)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
    let server = ServiceGroup(services: [application], logger: Logger(label: "test"))
    let running = Task { try await server.run() }
    let portNumber = try #require(await ports.first { _ in true })
    let listening = Task {
      defer { receiver.finish() }
      try await EventListener.listen(port: portNumber, path: "/live") { receiver.yield($0) }
    }
    var lines = received.makeAsyncIterator()
    func nextEvent() async -> String? {
      while let line = await lines.next() { if line.hasPrefix("event: ") { return line } }
      return nil
    }
    #expect(await nextEvent() == "event: changed")
    signal.notify()
    #expect(await nextEvent() == "event: changed")
    await server.triggerGracefulShutdown()
    try await running.value
    // The listener was still connected; the shutdown has ended its stream.
    #expect(await nextEvent() == nil)
    try await listening.value
  }
}
