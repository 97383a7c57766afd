import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Signals of changes in the store", .timeLimit(.minutes(30)))
struct ActivityTests {
  /// A shop with the data that every deed of the tests needs.
  private struct Scene {
    let shop: TeaShop
    let phone: Phone
    let unfinished: TransactionID
    let refunded: TransactionID
    let quote: PaymentQuote
    let snapshot: Data

    var store: EmulatedAppStore { shop.store }

    init() async throws {
      shop = try await TeaShop()
      phone = try await shop.phone()
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
      let child = try await shop.phone("child's", signedInAs: "child")
      _ = try await shop.store.confirm(try await shop.quote(as: "to approve", on: child), for: child.id)
      try await shop.buy(as: "one", on: phone)
      unfinished = try await shop.newestTransaction().record.transactionID
      try await shop.buy(as: "two", on: phone)
      refunded = try await shop.newestTransaction().record.transactionID
      try await shop.store.refund(refunded)
      try shop.store.set(Fault(OutageFault(), id: "never", scope: FaultScope(customer: "nobody")))
      quote = try await shop.quote(as: "three", on: phone)
      snapshot = try await shop.store.snapshot()
    }
  }

  /// Returns whether a listener that subscribed before `work` is notified of it.
  private func isNotified(_ work: (Scene) async throws -> Void) async throws -> Bool {
    let scene = try await Scene()
    let activity = scene.store.activity()
    try await work(scene)
    // Closing the store still delivers earlier notifications.
    try scene.store.close()
    var iterator = activity.makeAsyncIterator()
    return await iterator.next() != nil
  }

  private struct Deed: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let work: @Sendable (Scene) async throws -> Void

    init(_ description: String, _ work: @escaping @Sendable (Scene) async throws -> Void) {
      testDescription = description
      self.work = work
    }
  }

  private static let deeds = [
    Deed("a purchase outside an app") {
      _ = try await $0.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    },
    Deed("a purchase on a phone") { _ = try await $0.store.confirm($0.quote, for: $0.phone.id) },
    Deed("a finish") { try await $0.store.finish($0.unfinished, for: $0.phone.id) },
    Deed("a refund") { try await $0.store.refund($0.unfinished) },
    Deed("a refund taken back") { try await $0.store.reverseRefund(of: $0.refunded) },
    Deed("an approval") {
      let waiting = try #require(try await $0.store.pendingApprovals().first)
      try await $0.store.decideApproval(of: waiting.payment.paymentID, on: waiting.installationID, isApproved: true)
    },
    Deed("a new customer") { try await $0.store.addCustomer(Customer(environment: .sandbox, name: "ada")) },
    Deed("a customer changed") {
      try await $0.store.changeCustomer("child", .sandbox) { $0.paymentMethod = .declined }
    },
    Deed("a catalog") { try await $0.shop.sell(TeaShop.catalog(oolongPrice: 1)) },
    Deed("a price") {
      try await $0.store.changeProduct(TeaShop.oolong, of: TeaShop.app, ProductChange(price: Milliunits(9)))
    },
    Deed("a sign-out") { try await $0.store.endSignIn(on: $0.phone.id) },
    Deed("a promoted purchase") {
      try await $0.store.beginPromotedPurchase(of: TeaShop.oolong, on: $0.phone.id)
    },
    Deed("the clock put forward") { try await $0.store.changeClock(.advance(milliseconds: 1)) },
    Deed("another rate") { try await $0.store.changeClock(rate: 2) },
    Deed("a fault set") { try $0.store.set(Fault(OutageFault())) },
    Deed("a fault removed") { try $0.store.removeFault("never") },
    Deed("a fault released") { try $0.store.releaseFault("never") },
    Deed("all faults removed") { $0.store.removeFaults() },
    Deed("a request") { _ = try await $0.store.quote($0.quote.payment, for: $0.phone.id) },
    Deed("the journal emptied") { $0.store.clearRequests() },
    Deed("a reset") { try await $0.store.reset() },
    Deed("a restore") { try await $0.store.restore($0.snapshot) },
  ]

  @Test("each change that a page may show is signalled", arguments: deeds)
  private func reported(deed: Deed) async throws {
    #expect(try await isNotified(deed.work))
  }

  private static let looks = [
    Deed("nothing") { _ in },
    Deed("the clock") { _ = try await $0.store.clockReading() },
    Deed("the clock, a while later") {
      $0.shop.clock.advance(seconds: 60)
      _ = try await $0.store.clockReading()
    },
    Deed("the books") {
      _ = try await $0.store.transactions(.init(search: "x"))
      _ = try await $0.store.transactionCount()
      _ = try await ($0.store.charges(), $0.store.refunds(), $0.store.pendingApprovals())
    },
    Deed("one purchase") {
      _ = try await $0.store.transaction($0.unfinished)
      _ = try await $0.store.timeline(of: $0.unfinished)
    },
    Deed("customers, catalog and installations") {
      _ = try await ($0.store.customers(), $0.store.apps(), $0.store.installations())
      _ = try await $0.store.catalog(of: TeaShop.app)
    },
    Deed("faults and requests") { _ = ($0.store.faults(), $0.store.requests(), $0.store.requestJournalExtent) },
    Deed("a snapshot") { _ = try await $0.store.snapshot() },
    Deed("a change that is refused") { scene in
      await #expect(throws: AppStoreEmulatorError.self) { try await scene.store.refund(scene.refunded) }
      await #expect(throws: AppStoreEmulatorError.self) { try await scene.store.restore(Data()) }
    },
  ]

  @Test("reading signals nothing, or a page that reads would be asked to read again", arguments: looks)
  private func notTold(look: Deed) async throws {
    #expect(try await !isNotified(look.work))
  }

  @Test("a signalled change can be read; many changes in between are one signal")
  func seen() async throws {
    let scene = try await Scene()
    var first = scene.store.activity().makeAsyncIterator()
    var second = scene.store.activity().makeAsyncIterator()
    for _ in 0..<100 {
      _ = try await scene.store.purchase(TeaShop.oolong, of: TeaShop.app, for: "customer", in: .sandbox)
    }
    #expect(await first.next() != nil)
    #expect(try await scene.store.transactionCount() == 102)
    _ = try await scene.store.purchase(TeaShop.oolong, of: TeaShop.app, for: "customer", in: .sandbox)
    #expect(await first.next() != nil)
    #expect(try await scene.store.transactionCount() == 103)
    try scene.store.close()
    #expect(await first.next() == nil)
    #expect(await second.next() != nil)
    #expect(await second.next() == nil)
  }

  @Test("a closed store signals nothing, and a listener that stops is removed")
  func ended() async throws {
    let activity = StoreActivity()
    do {
      var iterator = activity.changes().makeAsyncIterator()
      activity.note()
      #expect(await iterator.next() != nil)
      #expect(activity.listenerCount == 1)
    }
    #expect(activity.listenerCount == 0)
    activity.end()
    var late = activity.changes().makeAsyncIterator()
    #expect(await late.next() == nil)
  }
}
