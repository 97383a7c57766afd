import Foundation
import Testing

@testable import PurchaseKit

@Suite("Waiting for the disk", .timeLimit(.minutes(30)))
struct SwiftThreadTests {
  @Test("while many downloads wait for a slow disk, Swift's own threads continue")
  func slowDisk() async throws {
    let slowness = Slowness()
    var disk = ContentDisk.system
    disk.sync = { _ in
      slowness.wait()
      return 0
    }
    let fixture = try LibraryFixture(disk: disk, atOnce: 16)
    let products = (0..<16).map { "com.example.reader.book\($0)" }
    for (number, product) in products.enumerated() {
      fixture.server.publish(product, ("text", ScriptedServer.data(100, seed: UInt8(number + 1))))
      try fixture.want(product)
    }
    slowness.begin()
    let downloads = fixture.downloads
    try await all(products, slowness) { try await downloads.download($0) }
  }

  @Test("while many purchases wait to be recorded, Swift's own threads continue", arguments: [true, false])
  func slowVault(givesCredits: Bool) async throws {
    let slowness = Slowness()
    let deliveries: [any ProductDelivery] = try (0..<16).map { _ in
      let vault = try PurchaseVault(at: nil, keys: SlowKeys(slowness), owner: TestVault.owner())
      guard givesCredits else {
        return EntitlementManager(vault: vault, receipts: nil, productIdentifiers: ["sepia"])
      }
      return CreditManager(store: VaultCreditStore(vault), creditsForProduct: ["sepia": 1])
    }
    slowness.begin()
    let purchase = PaidPurchase(
      transactionIdentifier: "1", productIdentifier: "sepia", quantity: 1, date: TestVault.date)
    try await all(deliveries, slowness) { try await $0.deliver(purchase) }
  }

  /// Calls `work` for all items at the same time, and ends the slowness when all calls wait for the disk.
  /// That can happen only if no call blocks a thread of Swift's pool.
  private func all<Item: Sendable>(
    _ items: [Item], _ slowness: Slowness, _ work: @escaping @Sendable (Item) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for item in items { group.addTask { try await work(item) } }
      group.addTask { await slowness.end(whenWaiting: items.count) }
      try await group.waitForAll()
    }
    #expect(!slowness.hasTimedOut)
  }
}

/// A key store whose saves wait for the end of the slowness.
private final class SlowKeys: VaultKeyStore, Sendable {
  private let base = MemoryVaultKeyStore()
  private let slowness: Slowness

  init(_ slowness: Slowness) { self.slowness = slowness }

  func load(_ name: String) -> Data? { base.load(name) }
  func remove(_ name: String) { base.remove(name) }

  func save(_ value: Data, as name: String) {
    slowness.wait()
    base.save(value, as: name)
  }
}

/// Blocks all writes to the disk until it ends.
private final class Slowness: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting = 0
  private var lasts = false
  private var timedOut = false

  /// Whether a write waited for minutes, because no thread was free to end the slowness.
  var hasTimedOut: Bool { condition.withLock { timedOut } }

  func begin() { condition.withLock { lasts = true } }

  func wait() {
    condition.withLock {
      guard lasts else { return }
      waiting += 1
      let limit = Date(timeIntervalSinceNow: 240)
      while lasts, !timedOut { if !condition.wait(until: limit) { timedOut = true } }
      // After a timeout, later writes do not wait.
      if timedOut { condition.broadcast() }
    }
  }

  func end(whenWaiting count: Int) async {
    while condition.withLock({ waiting < count && !timedOut }) { await Task.yield() }
    condition.withLock {
      lasts = false
      condition.broadcast()
    }
  }
}
