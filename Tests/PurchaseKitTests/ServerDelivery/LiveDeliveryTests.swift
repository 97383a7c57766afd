import AppStoreEmulator
import Foundation
import HTTPTransport
import OpenStoreKit
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("The app, the real purchase server and the emulated store together", .timeLimit(.minutes(30)))
struct LiveDeliveryTests {
  private let book = ReaderStore.book
  private let atlas = ReaderStore.atlas
  private let files = ["cover": ScriptedServer.data(200), "text": ScriptedServer.data(3_000_000, seed: 2)]
  private let map = ScriptedServer.data(2_000_000, seed: 3)

  @Test(
    "G3 a book is bought, redeemed with the receipt or the signed transaction, downloaded, verified, enabled and finished",
    arguments: StoreInterface.allCases)
  func bought(_ storeKit: StoreInterface) async throws {
    let files = files
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let shop = try ReaderShop(try await ReaderStore().store, storeKit: storeKit, makeClient: server.client)
      try await shop.buy(book)
      for (name, data) in files { #expect(try shop.library.data(named: name, in: book) == data) }
      #expect(try shop.entitlements.isEntitled(to: book))
      await shop.untilQueueIsEmpty()
      // F3 the server has the entitlement, independently of the device's data.
      #expect(try await shop.client.entitlements().map(\.productId) == [book])
      try await shop.close()
    }
  }

  @Test("F3 the server knows what a customer owns after the device has lost everything")
  func vouched() async throws {
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      try await shop.buy(book)
      let owned = try #require(try await shop.client.entitlements().first)
      #expect(owned.productId == book && owned.isActive && owned.origin == "purchased")
      #expect(owned.source == shop.entitlements.entitlements.first?.originalTransactionIdentifier)
      let lost = shop.client.customer
      try await shop.close()
      // With a new folder and a new key store, the vault, the files and the server's token are lost.
      let reinstalled = try ReaderShop(shop.store, deviceID: shop.device.deviceID, makeClient: server.client)
      #expect(reinstalled.entitlements.entitlements.isEmpty)
      #expect(try await reinstalled.client.entitlements().isEmpty, "without a proof, nothing is owned")
      // A receipt of the second of the registration joins nobody.
      try await shop.store.changeClock(.advance(milliseconds: 1000))
      try await reinstalled.device.signIn(.customer)
      try await refresh(reinstalled)
      _ = try await reinstalled.client.restore(.appReceipt(Data(contentsOf: reinstalled.device.receiptURL)))
      #expect(reinstalled.client.customer == lost)
      let known = try #require(try await reinstalled.client.entitlements().first)
      #expect((known.productId, known.source, known.isActive) == (book, owned.source, true))
      #expect(known.begun == owned.begun)
      #expect(reinstalled.entitlements.entitlements.isEmpty, "only the server knows it, not the device")
      try await reinstalled.close()
    }
  }

  @Test("G4 a large product is finished at once, and downloaded later despite a broken connection and an expired link")
  func deferred() async throws {
    let map = map
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let faults = FaultyTransport()
      let shop = try ReaderShop(try await ReaderStore().store) { keys, device in
        PurchaseServerClient(
          server.url, bundleID: ScriptedServer.bundleID, device: device, identity: .anonymous(keys), transport: faults)
      }
      try await shop.buy(atlas)
      await shop.untilQueueIsEmpty()
      #expect(try shop.downloads.state(of: atlas) == .waiting(nil))
      // The link expires after each cut.
      faults.cutDownloads(after: [700_000, 700_000]) { server.clock.advance(seconds: 3600) }
      try await shop.delivery.fetch(atlas)
      #expect(try shop.library.data(named: "maps", in: atlas) == map)
      #expect(faults.downloads.compactMap { $0 }.count >= 2)
      #expect(faults.statuses.contains(410))
      try await shop.close()
    }
  }

  @Test("E5 after a reinstallation on the same device, and on another device, purchases and files are restored")
  func restored() async throws {
    let files = files
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      try await shop.buy(book)
      let customer = shop.client.customer
      try await shop.close()
      // First the same device, then another one.
      for deviceID in [shop.device.deviceID, nil] {
        let other = try ReaderShop(shop.store, deviceID: deviceID, makeClient: server.client)
        #expect(try await other.client.entitlements().isEmpty, "the installation is registered")
        // A receipt of the second of the registration joins nobody.
        try await shop.store.changeClock(.advance(milliseconds: 1000))
        for _ in 0..<2 {
          let restored = try await other.manager.restorePurchases()
          #expect(restored.given.map(\.productIdentifier) == [book], "\(restored)")
          for (name, data) in files { #expect(try other.library.data(named: name, in: book) == data) }
          #expect(try other.entitlements.isEntitled(to: book))
        }
        // The customer is the same, because the receipt was issued for the device that the installation registered with.
        #expect(other.client.customer == customer)
        try await other.close()
      }
    }
  }

  @Test(
    "E5 a restore waits for the registration of the installation, because only a newer receipt joins the earlier customer"
  )
  func registeredFirst() async throws {
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      try await shop.buy(book)
      try await shop.close()
      // The registration is held until the manager waits for it a second time or the restore reaches the store.
      let order = RegistrationOrder(shop.store)
      let other = try ReaderShop(
        shop.store, deviceID: shop.device.deviceID, connection: order.connection(to: shop.store), clock: order.clock
      ) { keys, device in
        PurchaseServerClient(
          server.url, bundleID: ScriptedServer.bundleID, device: device, identity: .anonymous(keys), transport: order)
      }
      _ = try await other.manager.restorePurchases()
      #expect(order.events.prefix(2) == ["registered", "restored"])
      #expect(other.client.customer == shop.client.customer)
      try await other.close()
    }
  }

  @Test(
    "G6 refunded before the download: the device receives the revocation, nothing is owned, the old proof grants nothing"
  )
  func refunded() async throws {
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      let purchase = try await shop.buy(atlas)
      #expect(await shop.log.next()?.name == .InAppPurchaseManagerTransactionSucceededNotification)
      let old = try Data(contentsOf: shop.device.receiptURL)
      _ = try await shop.store.refund(try #require(TransactionID(rawValue: purchase.transactionIdentifier)))
      #expect(await shop.log.next()?.name == .InAppPurchaseManagerProductsRevokedNotification)
      #expect(try !shop.entitlements.isEntitled(to: atlas))
      await #expect(throws: ContentError.notDelivered(productIdentifier: atlas)) {
        try await shop.delivery.fetch(atlas)
      }
      // The server learns of the refund from the new receipt, and therefore refuses the old receipt.
      try await refresh(shop)
      _ = try await shop.client.restore(.appReceipt(Data(contentsOf: shop.device.receiptURL)))
      let refused = try await shop.client.redeem(
        .appReceipt(old), [.init(transactionIdentifier: purchase.transactionIdentifier)])
      #expect(refused.purchases.map(\.refusal?.code) == ["refunded"])
      try await shop.close()
    }
  }

  private func refresh(_ shop: ReaderShop) async throws {
    try await ReceiptRefresh(SKReceiptRefreshRequest(receiptProperties: nil, device: shop.device)).refresh()
  }

  @Test("A3 products that the developer's server lists are sold without an app update; prices come from the store")
  func listed() async throws {
    let map = map
    try await LivePurchaseServer.running(files: files, map: map) { server in
      var shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      let file = shop.folder.url.appending(path: "products.json")
      let list = try MasterProductList(at: file, server: shop.client, languages: "de")
      #expect(try await list.refresh())
      #expect(try await list.refresh() == false)
      let books = list.productIdentifiers { $0.content != nil }
      #expect(books == [book, atlas])
      #expect(list.current?.list.products.first { $0.productId == book }?.name == "Buch")
      #expect(try await Set(shop.manager.products(books).map(\.productIdentifier)) == books)
      #expect(list.current?.list.products.first { $0.productId == ReaderStore.coins }?.content == nil)

      // The developer publishes a book that the app does not know, and the store sells it.
      let newcomer = ReaderStore.newcomer
      let app = ScriptedServer.bundleID
      try await server.ledger.publish(
        LedgerProduct(id: ProductID(newcomer), type: .nonConsumable), app: app, by: "olga")
      let sold = try await server.ledger.catalog(of: app).products
      let content = try #require(sold.first { $0.product.id.rawValue == atlas }?.content)
      _ = try await server.ledger.publish(files: content.files, of: ProductID(newcomer), app: app, by: "olga")
      #expect(try await list.refresh())
      // The app decides which products it delivers: here, all products with files.
      let given = list.productIdentifiers { $0.content != nil }
      #expect(given == [book, atlas, newcomer])
      shop = try await shop.relaunched(books: given, makeClient: server.client)
      let product = try await shop.manager.products([newcomer])[0]
      #expect("\(product.price)" == "2.99")
      try await shop.manager.purchase(product)
      #expect(try shop.entitlements.isEntitled(to: newcomer))
      #expect(try shop.library.data(named: "maps", in: newcomer) == map)
      #expect(try await shop.client.entitlements().map(\.productId) == [newcomer])
      #expect(try await shop.store.charges().map(\.amount) == [Milliunits(2_990)])
      try await shop.close()
    }
  }

  @Test(
    "credits are granted and spent at the server; the device has a copy with the date of its reading",
    arguments: StoreInterface.allCases)
  func credits(_ storeKit: StoreInterface) async throws {
    try await LivePurchaseServer.running(files: files, map: map) { server in
      let receipts = LockedValue(0)
      let shop = try ReaderShop(
        try await ReaderStore().store, storeKit: storeKit, proofMade: { receipts.withLock { $0 += 1 } },
        makeClient: server.client)
      #expect(throws: CreditError.balanceUnknown) { try shop.credits.balance }
      try await shop.buy(ReaderStore.coins)
      #expect(try shop.credits.balance == 5)
      #expect(try shop.credits.balanceDate != nil)
      let key = UUID()
      #expect(try await shop.credits.spend(3, key: key) == 2)
      #expect(try await shop.credits.spend(3, key: key) == 2)
      await #expect(throws: CreditError.keyReused(key)) { try await shop.credits.spend(1, key: key) }
      await #expect(throws: CreditError.insufficient(balance: 2, requested: 3)) { try await shop.credits.spend(3) }
      #expect(try shop.ledgerCredits.pendingSpends.isEmpty)
      #expect(try await shop.client.creditMovements(of: "coins").map(\.amount) == [-3, 5])
      // A purchase of StoreKit 2 is its own proof.
      #expect(receipts.value == (storeKit == .storeKit1 ? 1 : 0))
      try await shop.close()
    }
  }
}

/// Holds the registration of an installation until a restore waits for it or begins, and records which came first.
private final class RegistrationOrder: HTTPSender {
  private struct State: Sendable {
    var events: [String] = []
    var waits = 0
  }

  private let base = SystemTransport()
  private let state = LockedValue(State())
  private let gate = Gate()
  private let store: EmulatedAppStore

  init(_ store: EmulatedAppStore) { self.store = store }

  var events: [String] { state.withLock { $0.events } }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    guard call.url.path.hasSuffix("/installations") else { return try await base.send(call, to: sink) }
    await gate.pass()
    try await base.send(call, to: sink)
    // A receipt of the second of the registration joins nobody.
    try await store.changeClock(.advance(milliseconds: 1000))
    state.withLock { $0.events.append("registered") }
  }

  /// The clock of the manager. The launch begins its first sleep, and the restore its second one.
  var clock: any MachineClock {
    ScriptedClock(sleep: { [self] _ in
      if state.withLock({ state in
        state.waits += 1
        return state.waits == 2
      }) {
        gate.open()
      }
      try await SystemClock().sleep(for: .seconds(3600))
    })
  }

  func connection(to store: any AppStoreConnection) -> any AppStoreConnection { Connection(store: store, order: self) }

  private struct Connection: AppStoreConnection {
    let store: any AppStoreConnection
    let order: RegistrationOrder

    func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
      if Call.verb == .restore {
        order.state.withLock { $0.events.append("restored") }
        order.gate.open()
      }
      return try await store.send(call, for: installation)
    }
  }
}
