import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import PurchaseLedger
import ServiceLifecycle
import SharedFixtures
import Testing
import WebSupport

@testable import PurchaseServer

@Suite("Connections of the server", .timeLimit(.minutes(30)))
struct ConnectionTests {
  private static func fixture(
    _ change: (inout PurchaseService.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    var options = ServerFixture.Options()
    change(&options.configuration)
    return try await ServerFixture(options)
  }

  private static let health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test("a connection with an unfinished request body ends after the response, whether the body trickles or not")
  func trickledBody() async throws {
    let fixture = try await Self.fixture()
    try await fixture.listening { port, _ in
      for request in [
        "POST \(ServerFixture.path)/redemptions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
      ] {
        try await RawConnection(toPort: port).open { connection in
          try await connection.send(request)
          let head = try await connection.read(until: "\r\n\r\n")
          try #require(head.lowercased().contains("connection: close"), "\(head)")
          // Sends bytes one by one until the server closes the connection.
          do {
            while true {
              try await connection.send(request.contains("chunked") ? "1\r\na\r\n" : "a")
              try await Task.sleep(for: .milliseconds(50))
            }
          } catch {
            // The server has closed the connection.
          }
        }
      }
    }
  }

  @Test("a response to a complete request leaves the connection open")
  func keptOpen() throws {
    let (channel, _) = try Self.channel()
    try channel.writeInbound(HTTPRequestPart.head(Self.head))
    try channel.writeInbound(HTTPRequestPart.end(nil))
    try Self.answer(channel, 404)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1_000))
    #expect(channel.isActive)
    guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else {
      Issue.record("no head")
      return
    }
    #expect(head.headerFields[.connection] == nil)
    _ = try channel.finish()
  }

  @Test(
    "after a response to an incomplete request further bytes are dropped, and the connection ends two seconds later")
  func lingers() throws {
    let (channel, seen) = try Self.channel()
    try channel.writeInbound(HTTPRequestPart.head(Self.head))
    try Self.answer(channel, 200)
    guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else {
      Issue.record("no head")
      return
    }
    #expect(head.headerFields[.connection] == "close")
    for _ in 0..<19 {
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
      try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
      #expect(channel.isActive)
    }
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
    #expect(!channel.isActive)
    // Only the head was passed on.
    #expect(seen.parts == 1)
  }

  @Test(
    "after a response to an incomplete request the connection ends with the request, and a second one is not answered")
  func endsWithRequest() throws {
    let (channel, seen) = try Self.channel()
    try channel.writeInbound(HTTPRequestPart.head(Self.head))
    try Self.answer(channel, 401)
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
    try channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(!channel.isActive && seen.parts == 2)
  }

  @Test("connections per address are limited; a further one ends before anything is read, until another is closed")
  func perAddress() async throws {
    let fixture = try await Self.fixture { $0.limits.connectionsPerAddress = 2 }
    try await fixture.listening { port, _ in
      try await RawConnection(toPort: port).open { first in
        try await first.send(Self.health)
        #expect(try await first.read(until: "alive").contains("200"))
        try await RawConnection(toPort: port).open { second in
          try await second.send(Self.health)
          #expect(try await second.read(until: "alive").contains("200"))
          let third = try? await RawConnection(toPort: port).exchange([Self.health], until: "alive")
          #expect(third ?? "" == "")
        }
        // Retries, because the server notices only after some time that the second connection is closed.
        while true {
          guard let answer = try? await RawConnection(toPort: port).exchange([Self.health], until: "alive"),
            answer.contains("alive")
          else { continue }
          break
        }
      }
    }
  }

  @Test("a trusted proxy has no limit; IPv6 is counted by network; addresses without connections are forgotten")
  func counting() throws {
    let proxy = try #require(NetworkRange("10.0.0.0/8"))
    let limit = ConnectionLimit(most: 1) { proxy.contains($0) }
    func channel(_ address: String) throws -> EmbeddedChannel {
      let channel = EmbeddedChannel(handler: ConnectionLimitHandler(limit))
      channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
      channel.pipeline.fireChannelActive()
      return channel
    }
    for _ in 0..<5 { #expect(try channel("10.1.2.3").closeFutureIsOpen) }
    #expect(limit.addressCount == 0)
    let first = try channel("2001:db8::1")
    #expect(first.closeFutureIsOpen)
    #expect(try !channel("2001:db8::ffff").closeFutureIsOpen)
    #expect(try channel("2001:db8:0:1::1").closeFutureIsOpen)
    #expect(limit.addressCount == 2)
    first.pipeline.fireChannelInactive()
    #expect(limit.addressCount == 1)
    #expect(try channel("2001:db8::2").closeFutureIsOpen)
  }

  @Test(
    "health is answered at its own port while all connections of the server are in use; nothing else is answered there")
  func healthPort() async throws {
    let fixture = try await Self.fixture {
      $0.limits.connectionsAtOnce = 1
      $0.healthPort = 0
    }
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let listener = try #require(fixture.service.healthApplication { continuation.yield($0) })
    try await fixture.listening { port, _ in
      let services = ServiceGroup(configuration: .init(services: [listener], logger: DownloadFixture.logger))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await services.run() }
        let healthPort = try #require(await ports.first { _ in true })
        try await RawConnection(toPort: port).open { taken in
          try await taken.send(Self.health)
          #expect(try await taken.read(until: "alive").contains("200"))
          for (path, answer) in [("/health", "alive"), ("/ready", "ready"), ("/metrics", "_total")] {
            let text = try await RawConnection(toPort: healthPort).exchange(
              ["GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n"], until: answer)
            #expect(text.hasPrefix("HTTP/1.1 200 "), "\(path): \(text)")
          }
          let other = try await RawConnection(toPort: healthPort).exchange(
            ["GET \(ServerFixture.path)/products HTTP/1.1\r\nHost: x\r\n\r\n"], until: "}}")
          #expect(other.hasPrefix("HTTP/1.1 404 "), "\(other)")
        }
        await services.triggerGracefulShutdown()
        try await group.waitForAll()
      }
    }
  }

  @Test(
    "broken chunks, a truncated body and an endless one are the client's errors: no 500, no error in the log"
  )
  func brokenBodies() async throws {
    let fixture = try await Self.fixture()
    let reader = try await fixture.reader()
    try await fixture.listening { port, _ in
      let head =
        "POST \(ServerFixture.path)/credits/coins/spends HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(reader.token)\r\n"
      for broken in ["zz\r\nhello\r\n", "5\r\nhelloXX\r\n", "fffffffffffffffff\r\n"] {
        let answer = try await RawConnection(toPort: port).exchange([
          head + "Transfer-Encoding: chunked\r\n\r\n", broken,
        ])
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
      }
      for _ in 0..<3 {
        try await RawConnection(toPort: port).open { connection in
          try await connection.send(head + "Content-Length: 100\r\n\r\n{")
        }
      }
      try await RawConnection(toPort: port).open { connection in
        try await connection.send(head + "Content-Length: 100\r\n\r\n{")
        fixture.time.endPauses()
        #expect(try await connection.read(until: nil).hasPrefix("HTTP/1.1 408 "))
      }
    }
    let errors = fixture.log.lines.filter { $0.hasPrefix("error") || $0.contains("status=500") }
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test("client input makes no long line in the log")
  func logLength() async throws {
    let fixture = try await Self.fixture()
    fixture.log.logger.bounded.error(
      "\(String(repeating: "é", count: 5_000))", metadata: ["path": .string(String(repeating: "a", count: 100_000))])
    let line = try #require(fixture.log.lines.last)
    #expect(line.utf8.count < 2 * BoundedLogHandler.limit + 200)
    #expect(line.contains("… (100000 bytes)") && line.contains("… (10000 bytes)"))
  }

  // MARK: Fixtures

  private static let head = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/")

  /// Counts the request parts that the handler passes on.
  private final class Seen: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    var parts = 0
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { parts += 1 }
  }

  private static func channel() throws -> (EmbeddedChannel, Seen) {
    let (channel, seen) = (EmbeddedChannel(), Seen())
    try channel.pipeline.syncOperations.addHandlers([UnreadBodyHandler(), seen])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return (channel, seen)
  }

  private static func answer(_ channel: EmbeddedChannel, _ status: Int) throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .init(code: status))))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }
}

extension EmbeddedChannel {
  /// Whether the channel is still open.
  fileprivate var closeFutureIsOpen: Bool {
    embeddedEventLoop.run()
    return (try? throwIfErrorCaught()) != nil && !isClosed
  }

  private var isClosed: Bool {
    let closed = NIOLoopBoundBox(false, eventLoop: eventLoop)
    closeFuture.whenComplete { _ in closed.value = true }
    return closed.value
  }
}
