import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: iterators leave nothing behind", .timeLimit(.minutes(30)))
struct LeakTests {
  private func count(_ device: StoreKitDevice) -> Int {
    let updates = device.updates
    return updates.transactions.count + updates.statuses.count + updates.storefronts.count + updates.messages.count
      + updates.intents.count
  }

  @Test("1,000 iterators of each sequence are released with their scope")
  func scopes() async throws {
    let device = try await TestStore.club().clubDevice()
    for _ in 0..<1_000 {
      let iterators: [Any] = [
        device.transactionUpdates(), device.statusUpdates(), Storefront.Storefronts(on: device).makeAsyncIterator(),
        Message.Messages(on: device).makeAsyncIterator(),
        PurchaseIntent.PurchaseIntents(on: device).makeAsyncIterator(),
      ]
      #expect(count(device) == iterators.count)
    }
    #expect(count(device) == 0)
  }

  @Test("1,000 loops that are cancelled while they wait end, and release their registrations")
  func loops() async throws {
    let device = try await TestStore.club().clubDevice()
    let loops = (0..<1_000).map { number in
      Task { [weak device] in
        guard let updates = device.map({ Transaction.Transactions(.updates, on: $0) }) else { return }
        for await _ in updates {}
      }
    }
    while device.updates.transactions.count < loops.count { await Task.yield() }
    for loop in loops { loop.cancel() }
    for loop in loops { await loop.value }
    #expect(count(device) == 0)
  }

  @Test("a copy of an iterator keeps the registration; the last one ends it")
  func copies() async throws {
    let device = try await TestStore.club().clubDevice()
    var first: Transaction.Transactions.AsyncIterator? = device.transactionUpdates()
    var second = first
    first = nil
    #expect(count(device) == 1 && first == nil)
    second = nil
    #expect(count(device) == 0 && second == nil)
  }

  @Test("a device that is closed ends the loops; one that only a loop knows is released")
  func devices() async throws {
    let test = try await TestStore.club()
    let closed = try test.clubDevice()
    var updates = closed.transactionUpdates()
    try await closed.close()
    #expect(await updates.next() == nil)
    #expect(count(closed) == 0)

    var device: StoreKitDevice? = try test.clubDevice()
    weak let released = device
    var kept = try #require(device).transactionUpdates()
    device = nil
    while released != nil { await Task.yield() }
    #expect(await kept.next() == nil)
  }

  @Test("a value does not keep its device open")
  func values() async throws {
    let test = try await TestStore.club()
    var device: StoreKitDevice? = try test.clubDevice()
    weak let released = device
    let product = try await #require(device).product(TestStore.sepia)
    let bought = try await #require(device).purchase(TestStore.sepia)
    device = nil
    while released != nil { await Task.yield() }
    #expect(product.id == bought.productID)
  }
}
