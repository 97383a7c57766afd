import Foundation
import NIOCore
import NIOEmbedded
import SharedFixtures
import Testing

@testable import PurchaseServer

@Suite("Time limits of downloads", .timeLimit(.minutes(30)))
struct DownloadWatchTests {
  private static let limits = DownloadLimits(idleMilliseconds: 1, longestMilliseconds: 2, drainMilliseconds: 3)

  /// The test ends sleeps of one length. All other sleeps last until they are cancelled.
  private final class Pauses: Sendable {
    private let milliseconds: Int64
    private let ends = AsyncStream.makeStream(of: Void.self)
    private let begun = AsyncStream.makeStream(of: Void.self)

    init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    func sleep(_ duration: Duration) async throws {
      guard duration.milliseconds == milliseconds else {
        try await Task.sleep(for: .seconds(100_000))
        return
      }
      begun.continuation.yield()
      for await _ in ends.stream { return }
      throw CancellationError()
    }

    func untilBegun() async { for await _ in begun.stream { return } }
    func end() { ends.continuation.yield() }
  }

  private static func watch(_ pauses: Pauses, _ channel: any Channel) -> DownloadWatch {
    DownloadWatch(
      channel: channel, limits: limits, clock: ScriptedClock(sleep: pauses.sleep), logger: DownloadFixture.logger)
  }

  private static func connected() async throws -> NIOAsyncTestingChannel {
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    return channel
  }

  @Test("A client that reads now and then is served; one that reads nothing is disconnected")
  func idle() async throws {
    let (pauses, channel) = (Pauses(1), try await Self.connected())
    await #expect(throws: DownloadCut.stalled) {
      try await Self.watch(pauses, channel).watching { progress in
        for _ in 0..<3 {
          await pauses.untilBegun()
          progress.add(1)
          pauses.end()
        }
        await pauses.untilBegun()
        #expect(channel.isActive && progress.cut == nil)
        pauses.end()
        // Waits until the channel is closed, as a write does that finds no room.
        try await channel.closeFuture.get()
        throw ChannelError.ioOnClosedChannel
      }
    }
    #expect(!channel.isActive)
  }

  @Test("No download lasts forever, however steadily it is read")
  func overdue() async throws {
    let (pauses, channel) = (Pauses(2), try await Self.connected())
    await #expect(throws: DownloadCut.overdue) {
      try await Self.watch(pauses, channel).watching { progress in
        await pauses.untilBegun()
        pauses.end()
        while channel.isActive {
          progress.add(1)
          await Task.yield()
        }
        throw ChannelError.ioOnClosedChannel
      }
    }
  }

  @Test("A download that ends normally leaves its connection open, and no task")
  func done() async throws {
    let channel = try await Self.connected()
    try await Self.watch(Pauses(1), channel).watching { $0.add(1) }
    #expect(channel.isActive)
    try await channel.close()
  }

  @Test("An error of the connection is thrown unchanged")
  func other() async throws {
    let channel = try await Self.connected()
    await #expect(throws: ChannelError.eof) {
      try await Self.watch(Pauses(1), channel).watching { _ in throw ChannelError.eof }
    }
    try await channel.close()
  }
}
