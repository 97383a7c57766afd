import HTTPTypes
import Hummingbird
import Logging
import ServiceLifecycle
import SharedFixtures
import Testing
import WebSupport

@Suite(.timeLimit(.minutes(10))) struct LiveStreamTests {
  @Test("An event of several lines is one event; its number comes along")
  func text() {
    #expect(
      ServerSentEvent(name: "step", data: "a\nb\r\nc", id: 4).text
        == "id: 4\nevent: step\ndata: a\ndata: b\ndata: c\n\n")
    #expect(ServerSentEvent(name: "changed", data: "").text == "event: changed\ndata: \n\n")
  }

  @Test("Whoever listens hears of what changed; many changes before a look are one")
  func rings() async throws {
    let bell = PageSignal()
    let (first, second) = (try #require(bell.notifications()), try #require(bell.notifications()))
    for _ in 0..<100 { bell.notify() }
    var iterator = first.stream.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    first.end()
    #expect(await iterator.next() == nil)
    var other = second.stream.makeAsyncIterator()
    #expect(await other.next() != nil)
    bell.notify()
    #expect(await other.next() != nil)
  }

  @Test("More pages than can be told are refused; a page that ends gives its place free")
  func audience() {
    let bell = PageSignal()
    var listeners: [(stream: AsyncStream<Void>, end: @Sendable () -> Void)] = []
    while let listener = bell.notifications() { listeners.append(listener) }
    #expect(listeners.count == 200)
    listeners[0].end()
    #expect(bell.notifications() != nil)
  }

  @Test("A stream ends when its server stops, and is told at once that there may be news", .timeLimit(.minutes(5)))
  func serverStops() async throws {
    let bell = PageSignal()
    let router = Router()
    router.get("live") { request, _ in try Response.liveStream(bell, for: request) }
    let (heard, tell) = AsyncStream.makeStream(of: String.self)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
    let server = ServiceGroup(services: [application], logger: Logger(label: "test"))
    let running = Task { try await server.run() }
    let place = try #require(await ports.first { _ in true })
    let listening = Task {
      defer { tell.finish() }
      try await EventListener.listen(port: place, path: "/live") { tell.yield($0) }
    }
    var lines = heard.makeAsyncIterator()
    func nextEvent() async -> String? {
      while let line = await lines.next() { if line.hasPrefix("event: ") { return line } }
      return nil
    }
    #expect(await nextEvent() == "event: changed")
    bell.notify()
    #expect(await nextEvent() == "event: changed")
    await server.triggerGracefulShutdown()
    try await running.value
    // The listener was still connected; the shutdown has ended its stream.
    #expect(await nextEvent() == nil)
    try await listening.value
  }
}
