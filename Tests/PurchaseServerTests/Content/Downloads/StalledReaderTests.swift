import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import StoreModel
import Testing

@testable import PurchaseServer

/// Tests how much the server reads and sends for clients that receive nothing (G4).
@Suite("Stalled downloads", .timeLimit(.minutes(30)))
struct StalledReaderTests {
  private static let mebibyte = 1 << 20

  @Test("G4 while a connection accepts no bytes, at most one chunk is read for it")
  func oneChunk() async throws {
    let fixture = try await DownloadFixture()
    let offer = try await fixture.offer(Sample.bytes(8 << 20))
    let loop = NIOAsyncTestingEventLoop()
    let channel = NIOAsyncTestingChannel(loop: loop)
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    let asynchronous = try await loop.executeInContext {
      try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(wrappingChannelSynchronously: channel)
    }
    let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: offer.path)
    let response = try await fixture.responder.respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
      token: String(offer.path.split(separator: "/").last ?? ""), over: channel, logger: DownloadFixture.logger)
    try await asynchronous.executeThenClose { _, outbound in
      let released = DispatchSemaphore(value: 0)
      // While the event loop is blocked, nothing that is written is sent.
      async let held: Void = loop.executeInContext { released.wait() }
      async let sent: Void = response.body.write(PartWriter(outbound: outbound))
      while fixture.store.chunkCount == 0 { await Task.yield() }
      // Each turn of the thread pool would be enough to read a chunk.
      for _ in 0..<200 { try await NIOThreadPool.singleton.runIfActive {} }
      #expect(fixture.store.chunkCount == 1)
      released.signal()
      try await held
      try await sent
    }
    #expect(fixture.store.chunkCount == 64)
  }

  @Test("G4 clients that request a large file and read nothing are sent less than a megabyte each")
  func manyReaders() async throws {
    var options = ServerFixture.Options()
    options.configuration.downloads.idleMilliseconds = 300
    let fixture = try await ServerFixture(options)
    try await fixture.publish([("large.bin", Sample.bytes(16 * Self.mebibyte))], of: BookStore.book)
    let (customer, phone) = (try await fixture.reader(), try await fixture.bookStore.phone())
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    let link = try #require(
      try await fixture.withClient {
        try await $0.redeem(purchase, token: customer.token).files().first?["link"] as? String
      })
    let count = 50
    try await fixture.listening { port, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            // With a small receive buffer, unread bytes wait at the server.
            let reader = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
              .channelOption(.autoRead, value: false).channelOption(.socketOption(.so_rcvbuf), value: 65_536)
              .connect(host: "127.0.0.1", port: port).get()
            try await reader.writeAndFlush(ByteBuffer(string: "GET /\(link) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            // The server closes the connection of a client that receives nothing.
            try await reader.closeFuture.get()
          }
        }
        try await group.waitForAll()
      }
    }
    let sent = try #require(
      fixture.metrics.text(underWay: 0).firstMatch(of: /downloaded_bytes_total (\d+)/).flatMap { Int($0.1) })
    #expect(sent > 0 && sent <= count * Self.mebibyte, "\(sent / count) bytes a reader")
  }
}

/// Writes into the queue of the connection's event loop, as the server does.
private struct PartWriter: ResponseBodyWriter {
  let outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>

  mutating func write(_ buffer: ByteBuffer) async throws { try await outbound.write(.body(buffer)) }
  consuming func finish(_ trailers: HTTPFields?) async throws { try await outbound.write(.end(trailers)) }
}
