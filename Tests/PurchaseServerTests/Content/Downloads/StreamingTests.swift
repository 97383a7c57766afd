import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Streaming a file", .timeLimit(.minutes(30)))
struct StreamingTests {
  /// Creates a sparse file of zeros, which uses no disk space. Its digest is invented.
  private static func sparse(_ size: Int64, in fixture: DownloadFixture) throws -> DownloadFixture.Offer {
    let digest = Sample.digest(Data("sparse \(size)".utf8))
    try fixture.folder.write(digest.description, Data())
    #expect(truncate(fixture.folder.path(digest.description), off_t(size)) == 0)
    return fixture.offer(Sample.file(digest, size: size))
  }

  private static func response(
    _ fixture: DownloadFixture, _ offer: DownloadFixture.Offer, _ fields: HTTPFields = [:],
    over channel: any Channel = NIOAsyncTestingChannel()
  ) async throws -> Response {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: offer.path, headerFields: fields)
    return try await fixture.responder.respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
      token: String(offer.path.split(separator: "/").last ?? ""), over: channel, logger: DownloadFixture.logger)
  }

  @Test("G4 of a file of a gigabyte, at most one chunk is read ahead of the connection")
  func bounded() async throws {
    let fixture = try await DownloadFixture(chunkBytes: 256 * 1024)
    let size: Int64 = 1 << 30 + 5
    let offer = try Self.sparse(size, in: fixture)
    let tally = HeldWriter.Tally()
    let response = try await Self.response(fixture, offer)
    try await response.body.write(
      HeldWriter(tally: tally) { taken in
        if fixture.store.chunkCount - taken > 1 { Issue.record("\(fixture.store.chunkCount) read, \(taken) taken") }
      })
    #expect(tally.bytes == size && tally.isFinished)
    #expect(fixture.store.chunkCount == Int(size / (256 * 1024)) + 1)
    // One lookup at the beginning, and one every 8 MiB after the first chunk, which has 128 KiB.
    #expect(fixture.statuses.lookupCount == Int((size - 128 * 1024) / (8 << 20)) + 1)
  }

  @Test("A range far beyond 4 GiB is read at its position")
  func far() async throws {
    let fixture = try await DownloadFixture()
    let offer = try Self.sparse(5 << 30, in: fixture)
    let handle = try FileHandle(forUpdating: URL(filePath: fixture.folder.path(offer.file.digest.description)))
    try handle.seek(toOffset: 5 << 30 - 4)
    try handle.write(contentsOf: Data("tail".utf8))
    try handle.close()
    let response = try await Self.response(fixture, offer, [.range: "bytes=-4"])
    #expect(response.status == .partialContent)
    #expect(response.headers[.contentRange] == "bytes 5368709116-5368709119/5368709120")
    let collected = LockedValue("")
    try await response.body.write(CollectingWriter(collected: collected))
    #expect(collected.value == "tail")
  }

  @Test("G6 a delivery that ends during its download: the response ends early, and so does its connection")
  func revoked() async throws {
    let fixture = try await DownloadFixture(.init(recheckBytes: 1 << 20))
    let offer = try await fixture.offer(Sample.bytes(5 << 20))
    let channel = try await Self.connected()
    let response = try await Self.response(fixture, offer, over: channel)
    let tally = HeldWriter.Tally()
    await #expect(throws: DownloadCut.ended(reason: "This can no longer be downloaded: refunded")) {
      try await response.body.write(
        HeldWriter(tally: tally) { taken in
          if taken == 10 { fixture.statuses[offer.delivery] = .ended(reason: "refunded") }
        })
    }
    // After the ten chunks of 128 KiB, the download goes on until the next check, at 2 MiB.
    #expect(tally.bytes == 2 << 20 && !tally.isFinished)
    #expect(!channel.isActive)
  }

  @Test("After a failed check of the delivery during a download, nothing more is sent")
  func unconfirmed() async throws {
    struct LedgerAway: Error {}
    let fixture = try await DownloadFixture()
    let offer = try await fixture.offer(Sample.bytes(1 << 20))
    let asked = HeldWriter.Tally()
    let responder = DownloadResponder(content: fixture.store, links: fixture.links, limits: .init(recheckBytes: 1)) {
      _ in
      asked.add(ByteBuffer())
      if asked.chunks > 3 { throw LedgerAway() }
      return .allowed(offer.file)
    }
    let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: offer.path)
    let response = try await responder.respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
      token: String(offer.path.dropFirst("/v1/downloads/".count)), over: NIOAsyncTestingChannel(),
      logger: DownloadFixture.logger)
    let tally = HeldWriter.Tally()
    await #expect(throws: LedgerAway.self) { try await response.body.write(HeldWriter(tally: tally) { _ in }) }
    #expect(tally.chunks == 3 && !tally.isFinished)
  }

  @Test("G4 a link that expires during its download does not stop it; the next request needs a new one")
  func expired() async throws {
    let fixture = try await DownloadFixture(.init(recheckBytes: 1 << 18))
    let offer = try await fixture.offer(Sample.bytes(1 << 20))
    let response = try await Self.response(fixture, offer)
    let tally = HeldWriter.Tally()
    try await response.body.write(
      HeldWriter(tally: tally) { _ in fixture.clock.set(Sample.noon.adding(seconds: 100_000)) })
    #expect(tally.bytes == 1 << 20 && tally.isFinished)
    await #expect(throws: DownloadRefusal.linkExpired) { try await Self.response(fixture, offer) }
    let renewed = DownloadFixture.Offer(
      delivery: offer.delivery, file: offer.file, path: fixture.path(offer.delivery, offer.file))
    #expect(try await Self.response(fixture, renewed, [.range: "bytes=7-"]).status == .partialContent)
  }

  private static func connected() async throws -> NIOAsyncTestingChannel {
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    return channel
  }
}

/// Collects the bytes that are written.
private struct CollectingWriter: ResponseBodyWriter {
  let collected: LockedValue<String>

  mutating func write(_ buffer: ByteBuffer) async throws { collected.withLock { $0 += String(buffer: buffer) } }
  consuming func finish(_ trailers: HTTPFields?) async throws {}
}
