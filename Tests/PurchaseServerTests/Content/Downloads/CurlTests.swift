import Foundation
import Hummingbird
import NIOCore
import NIOPosix
import StoreModel
import Testing

@testable import PurchaseServer

/// Tests downloads with curl, as an independent HTTP client.
@Suite("Downloads over HTTP", .timeLimit(.minutes(30)))
struct CurlTests {
  /// curl's exit codes for incomplete responses: a partial file, a failure to receive.
  private static let cutOff: Set<Int32> = [18, 56]

  private let bench: ScratchFolder

  init() throws { bench = try ScratchFolder() }

  private func curl(_ arguments: String...) async throws -> Program.Outcome {
    try await bench.run("curl", ["-sS", "--noproxy", "*"] + arguments)
  }

  private static func url(_ port: Int, _ offer: DownloadFixture.Offer) -> String {
    "http://127.0.0.1:\(port)\(offer.path)"
  }

  @Test("G5 curl resumes an interrupted download, and the file is the same")
  func resume() async throws {
    let fixture = try await DownloadFixture(.init(recheckBytes: 24 << 20))
    let data = Sample.bytes(40 << 20)
    let offer = try await fixture.offer(data)
    try bench.write("original", data)
    try await fixture.listening { port in
      fixture.statuses.answer(.ended(reason: "refunded"), afterLookups: 1)
      let first = try await curl("-o", "copy", Self.url(port, offer))
      #expect(Self.cutOff.contains(first.status), "\(first)")
      let partial = try bench.data("copy").count
      #expect(partial > 0 && partial < data.count)
      let refused = try await curl("-C", "-", "-o", "copy", "--fail", Self.url(port, offer))
      #expect(refused.status == 22, "\(refused)")
      #expect(try bench.data("copy").count == partial)

      fixture.statuses.answer(nil)
      let second = try await curl("-C", "-", "-o", "copy", "-w", "%{http_code} %{size_download}", Self.url(port, offer))
      #expect(second.status == 0 && second.output == "206 \(data.count - partial)", "\(second)")
      #expect(try await bench.run("cmp", ["original", "copy"]).status == 0)
    }
  }

  @Test("If-Range after a new version: the whole new file is sent")
  func newVersion() async throws {
    let fixture = try await DownloadFixture()
    let old = try await fixture.offer(Sample.bytes(500_000, seed: 1))
    let new = try await fixture.offer(Sample.bytes(600_000, seed: 2))
    try await fixture.listening { port in
      let outcome = try await curl(
        "-o", "copy", "-w", "%{http_code}", "-H", "Range: bytes=1000-", "-H", "If-Range: \(old.tag)",
        Self.url(port, new))
      #expect(outcome.output == "200", "\(outcome)")
      #expect(try bench.data("copy") == Sample.bytes(600_000, seed: 2))
    }
  }

  @Test("HEAD, 304, 416 and a refusal leave the connection usable for the next request")
  func oneConnection() async throws {
    let fixture = try await DownloadFixture()
    let data = Sample.bytes(200_000)
    let offer = try await fixture.offer(data)
    try await fixture.listening { port in
      let url = Self.url(port, offer)
      let requests = [
        ["-I", "-o", "head", url], ["-H", "If-None-Match: \(offer.tag)", "-o", "304", url],
        ["-H", "Range: bytes=200000-", "-o", "416", url], ["-I", "-o", "404", url + "A"], ["-o", "copy", url],
      ].map { ["-sS", "--noproxy", "*", "-w", "%{http_code} %{num_connects}\n"] + $0 }
      let outcome = try await bench.run("curl", Array(requests.joined(separator: ["--next"])))
      #expect(outcome.output == "200 1\n304 0\n416 0\n404 0\n200 0\n", "\(outcome)")
      #expect(try bench.data("copy") == data)
      #expect(
        String(decoding: try bench.data("head"), as: UTF8.self).lowercased().contains("content-length: 200000\r\n"))
    }
  }

  @Test("A file name with a path stays in the folder, and never becomes a path in the store")
  func names() async throws {
    let fixture = try await DownloadFixture()
    let offer = try await fixture.offer(Data("x".utf8), name: "../../../../tmp/../evil\u{202E}\u{0}/gpj.sh")
    #expect(try fixture.folder.names() == [offer.file.digest.description])
    try await fixture.listening { port in
      let outcome = try await curl("-O", "-J", Self.url(port, offer))
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try bench.names() == ["_.._.._.._tmp_.._evil___gpj.sh"])
    }
  }

  @Test("A client that stops reading is disconnected, and its file is closed")
  func stalled() async throws {
    let fixture = try await DownloadFixture(.init(idleMilliseconds: 200))
    let offer = try await fixture.offer(Sample.bytes(32 << 20))
    try await fixture.listening { port in
      let reader = try await Self.stalledReader(port, offer)
      await fixture.store.untilClosed()
      #expect(fixture.store.chunkCount < 256)
      try await reader.closeFuture.get()
    }
  }

  @Test("A server that stops does not wait for a client that has stopped reading")
  func shutdown() async throws {
    let fixture = try await DownloadFixture(.init(drainMilliseconds: 10))
    let offer = try await fixture.offer(Sample.bytes(32 << 20))
    let reader = try await fixture.listening { port in
      let reader = try await Self.stalledReader(port, offer)
      while fixture.store.chunkCount == 0 { await Task.yield() }
      return reader
    }
    await fixture.store.untilClosed()
    try await reader.closeFuture.get()
  }

  /// Requests the file and reads nothing of it.
  private static func stalledReader(_ port: Int, _ offer: DownloadFixture.Offer) async throws -> any Channel {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: false).connect(host: "127.0.0.1", port: port).get()
    try await channel.writeAndFlush(ByteBuffer(string: "GET \(offer.path) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    return channel
  }
}
