import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Resetting a store", .timeLimit(.minutes(30)))
struct ResetTests {
  @Test("removes all purchases and keeps apps, catalog and keys; customers are those of a new store")
  func contents() async throws {
    let shop = try await TeaShop()
    let fresh = try await shop.trade()
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", needsApproval: true))
    let waiting = try await shop.phone("tablet", signedInAs: "ada")
    _ = try await shop.store.confirm(try await shop.quote(as: "two", on: waiting), for: waiting.id)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    _ = try await refusal { try await shop.buy(as: "three", on: phone) }
    try await shop.store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    let root = try shop.store.authority.jwsRootCertificate

    try await shop.store.reset()
    #expect(try await shop.trade() == fresh)
    #expect(try shop.store.authority.jwsRootCertificate == root)
  }

  @Test("the first customers come back to the storefront of the first configuration file")
  func storefront() async throws {
    let store = try EmulatedAppStore(.inMemory(seed: 1))
    try await store.reset()
    #expect(try await store.customers().isEmpty, "a store without apps has no customers either")
    try await store.serve(TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog(), storefront: "JPN")])
    let before = try await store.customers()
    try await store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "DEU" }
    try await store.reset()
    #expect(try await store.customers() == before)
    #expect(before.map(\.storefrontCountryCode) == ["JPN", "JPN"])
  }

  @Test("removes all faults, lets go what they hold, and empties the request journal")
  func faultsAndRequests() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let store = shop.store
    try store.set(Fault(HeldRequestFault(), id: "hold", scope: FaultScope(calls: [.device(.products)])))
    try store.set(Fault(OutageFault(.unreachable), id: "out", scope: FaultScope(calls: [.device(.confirm)])))
    async let held = refusal {
      _ = try await store.send(ProductsCall(productIDs: []), for: phone.id)
    }
    try await store.untilFault("hold")
    #expect(!store.requests().isEmpty)
    let last = store.requestJournalExtent.last
    try await store.reset()
    #expect(try await held == .unknownInstallation)
    #expect(store.faults().isEmpty)
    #expect(store.requests().isEmpty)
    #expect(store.requestJournalExtent == RequestJournalExtent(kept: 0, dropped: 0, last: last))
    try await shop.phone()
    try await shop.buy(on: phone)
    #expect(store.requests().map(\.sequence).min() == last + 1)
  }

  @Test("a restore leaves faults and the request journal as they are, and so does one that is refused")
  func restoreKeeps() async throws {
    let shop = try await TeaShop()
    let store = shop.store
    try await shop.phone()
    try store.set(Fault(OutageFault(.unreachable), id: "out"))
    let requests = store.requests()
    #expect(!requests.isEmpty)
    try await store.restore(try await store.snapshot())
    await #expect(throws: AppStoreEmulatorError.self) { try await store.restore(Data()) }
    #expect(store.faults().map(\.fault.id) == ["out"])
    #expect(store.requests() == requests)
  }

  @Test("begins an epoch of its own, whose ids count on from those before")
  func epoch() async throws {
    let shop = try await TeaShop()
    try await shop.buy(as: "one", on: try await shop.phone())
    let first = shop.store.epoch
    let answered = try await shop.store.reset()
    #expect(answered != first)
    #expect(shop.store.epoch == answered)
    try await shop.buy(as: "one", on: try await shop.phone())
    #expect(try await shop.newestTransaction().record.transactionID.rawValue == answered.rawValue + "000000002")
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("in a folder, the dates it stamps and signs go on: nothing the outside has seen comes again")
  func dates() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    defer { try? shop.store.close() }
    var (signed, dates): ([StoreDate], [StoreDate]) = ([], [])
    for _ in 1...3 {
      let phone = try await shop.phone()
      let batch = try await shop.buy(on: phone)
      signed.append(try UnverifiedJWS(try #require(batch.deliveries.first).signedTransaction).transaction().signedDate)
      try await shop.store.changeClock(.advance(milliseconds: 1_000))
      dates.append(try await shop.store.clockReading().now)
      shop.clock.set(TeaShop.opening.adding(seconds: -1))
      try await shop.store.reset()
    }
    #expect(zip(signed, signed.dropFirst()).allSatisfy(<))
    #expect(zip(dates, dates.dropFirst()).allSatisfy(<))
    #expect(zip(dates, signed.dropFirst()).allSatisfy(<=))
  }

  @Test("in memory, the clock returns to the present; purchases, signatures and receipts have its date")
  func present() async throws {
    let shop = try await TeaShop(rate: 60)
    try await shop.buy(on: try await shop.phone())
    try await shop.store.changeClock(.advance(milliseconds: 400 * 86_400_000))
    try await shop.buy(as: "later", on: try await shop.phone())
    try await shop.store.refund(try await shop.newestTransaction().record.transactionID)
    shop.clock.advance(seconds: 5)
    try await shop.store.reset()
    let present = TeaShop.opening.adding(seconds: 5)
    #expect(try await shop.store.clockReading() == ClockReading(now: present, rate: 60))
    let batch = try await shop.buy(on: try await shop.phone())
    #expect(try await shop.newestTransaction().record.purchaseDate == present.wholeSeconds)
    #expect(
      try UnverifiedJWS(try #require(batch.deliveries.first).signedTransaction).transaction().signedDate == present)
    #expect(
      try UnverifiedAppReceipt(try #require(batch.receipt)).receipt.creationDate == present.wholeSeconds)
    shop.clock.advance(seconds: 1)
    #expect(try await shop.store.clockReading().now == present.adding(seconds: 60))
  }

  @Test("in memory, a call that arrived before the reset does not take its later date into the new epoch")
  func arrivedBefore() async throws {
    let shop = try await TeaShop()
    let store = shop.store
    try await store.changeClock(.advance(milliseconds: 86_400_000))
    let late = store.clock.now
    try await store.reset()
    // A call's date is read when it arrives; its unit of work begins when the database is free.
    let now = try await store.database.read { work in
      try StoreUnitOfWork(work.database, clock: store.clock, authority: store.authority, at: .arrival(late)).now
    }
    #expect(now == TeaShop.opening)
  }

  @Test("a device of the earlier epoch is unknown until it registers in the new one")
  func devices() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let old = try await shop.quote(on: phone)
    let epoch = try await shop.store.reset()
    for attempt in [
      { _ = try await shop.store.products([], for: phone.id) }, { _ = try await shop.quote(on: phone) },
      { _ = try await shop.store.confirm(old, for: phone.id) }, { _ = try await shop.store.unfinished(for: phone.id) },
    ] as [() async throws -> Void] {
      #expect(try await refusal(attempt) == .unknownInstallation)
    }
    try await shop.phone()
    #expect(try await shop.quote(on: phone).epoch == epoch)
    #expect(try await refusal { _ = try await shop.store.confirm(old, for: phone.id) } == .epochEnded)
    // The quote names the new epoch, but its authentication code was made with the old epoch's key.
    let relabelled = old.altered(epoch: epoch)
    #expect(try await refusal { _ = try await shop.store.confirm(relabelled, for: phone.id) } == .quoteNotGenuine)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("a waiting request for changes is asked to register")
  func listeners() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let store = shop.store
    let rings = store.database.deviceChanges.count
    async let answer = refusal {
      _ = try await store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 60, for: phone.id)
    }
    try await store.reset()
    #expect(try await answer == .unknownInstallation)
    #expect(store.database.deviceChanges.count == rings + 1)
  }

  @Test("B9 amid a hundred purchases: whatever was charged was confirmed in that very epoch, and no id comes twice")
  func amidPurchases() async throws {
    let shop = try await TeaShop()
    let store = shop.store
    let bought = try await withThrowingTaskGroup(of: [(StoreEpoch, String)].self) { group in
      for number in 1...10 {
        group.addTask {
          var bought: [(StoreEpoch, String)] = []
          for attempt in 1...10 {
            do {
              let phone = try await shop.phone("phone \(number)")
              let quote = try await shop.quote(as: PaymentID("payment \(attempt)"), on: phone)
              for delivery in try await store.confirm(quote, for: phone.id).purchase().deliveries {
                let id = try UnverifiedJWS(delivery.signedTransaction).transaction().transactionID
                bought.append((quote.epoch, id.rawValue))
              }
            } catch let refusal as StoreRefusal {
              #expect([.unknownInstallation, .epochEnded].contains(refusal.code))
            }
          }
          return bought
        }
      }
      group.addTask {
        for _ in 1...8 { try await store.reset() }
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(bought.allSatisfy { epoch, id in id.hasPrefix(epoch.rawValue) })
    #expect(Set(bought.map(\.1)).count == bought.count)
    let left = try await store.transactions().map(\.record.transactionID.rawValue)
    #expect(left.allSatisfy { $0.hasPrefix(store.epoch.rawValue) })
    #expect(try await store.charges().count == left.count)
  }
}
