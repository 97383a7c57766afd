import Foundation
import Testing

@testable import PurchaseKit

@Suite("Waiting for the disk", .timeLimit(.minutes(5)))
struct SwiftThreadTests {
  @Test("however many downloads wait for a slow disk, Swift's own threads go on")
  func slowDisk() async throws {
    let disk = SlowDisk()
    let shelf = try TestShelf(disk: disk.disk, atOnce: 16)
    let products = (0..<16).map { "com.example.reader.book\($0)" }
    for (number, product) in products.enumerated() {
      shelf.server.publish(product, ("text", ScriptedServer.data(100, seed: UInt8(number + 1))))
      try shelf.want(product)
    }
    let downloads = shelf.downloads
    try await withThrowingTaskGroup(of: Void.self) { group in
      for product in products { group.addTask { try await downloads.download(product) } }
      // Only with every thread of Swift's free of them can all sixteen wait for the disk, and this end their waiting.
      group.addTask { await disk.releasesWhenWaiting(16) }
      try await group.waitForAll()
    }
    #expect(!disk.hasTimedOut)
  }
}

/// A disk on which nothing becomes durable until so many wait for that.
private final class SlowDisk: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting = 0
  private var isReleased = false
  private var timedOut = false

  /// Whether somebody waited for minutes: nobody was there to end it.
  var hasTimedOut: Bool { condition.withLock { timedOut } }

  var disk: ContentDisk {
    var disk = ContentDisk.system
    disk.sync = { _ in
      self.condition.withLock {
        self.waiting += 1
        let limit = Date(timeIntervalSinceNow: 240)
        while !self.isReleased, !self.timedOut { if !self.condition.wait(until: limit) { self.timedOut = true } }
        return 0
      }
    }
    return disk
  }

  func releasesWhenWaiting(_ count: Int) async {
    while condition.withLock({ waiting < count && !timedOut }) { await Task.yield() }
    condition.withLock {
      isReleased = true
      condition.broadcast()
    }
  }
}
