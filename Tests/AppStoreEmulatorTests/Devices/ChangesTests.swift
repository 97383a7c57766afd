import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What an installation hears of", .timeLimit(.minutes(30)))
struct ChangesTests {
  private static let start = ChangeCursor(rawValue: 0)

  private func received(
    _ shop: TeaShop, _ phone: Phone, after cursor: ChangeCursor = start
  ) async throws -> DeviceChanges {
    try await shop.store.changes(after: cursor, waitSeconds: 0, for: phone.id)
  }

  @Test("B4 a purchase outside the app notifies all signed-in installations, or the named one")
  func purchases() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    let (others, elsewhere) = (
      try await shop.phone("watch", signedInAs: "bob"), try await shop.phone("tv", in: .production)
    )
    func order(_ installation: InstallationID? = nil) async throws {
      _ = try await shop.store.purchase(
        TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox, installationID: installation)
    }
    let waiting = StoreChange(.transactionsWaiting)
    try await order()
    #expect(try await received(shop, phone).changes == [waiting])
    #expect(try await received(shop, tablet).changes == [waiting])
    try await order(phone.id)
    #expect(try await received(shop, phone).changes == [waiting, waiting])
    #expect(try await received(shop, tablet).changes == [waiting])
    #expect(try await received(shop, others).changes.isEmpty)
    #expect(try await received(shop, elsewhere).changes.isEmpty)
  }

  @Test("a storefront that changes is reported, and one that stays is not")
  func storefronts() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for code in ["JPN", "JPN", "DEU"] {
      try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = code }
    }
    let expected = [StoreChange(.storefrontChanged), StoreChange(.storefrontChanged)]
    #expect(try await received(shop, phone).changes == expected)
  }

  @Test("a promoted purchase notifies one installation, with its product")
  func promoted() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try await shop.store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    #expect(
      try await received(shop, phone).changes == [StoreChange(.promotedPurchase, productIDs: [TeaShop.sencha])])
    #expect(try await received(shop, tablet).changes.isEmpty)
    #expect(try await shop.store.charges().isEmpty)
    let before = try await shop.records()
    #expect(
      try await refusal { try await shop.store.beginPromotedPurchase(of: "x", on: phone.id) } == .productNotAvailable)
    await #expect(throws: AppStoreEmulatorError.unknownInstallation("stranger")) {
      try await shop.store.beginPromotedPurchase(of: TeaShop.sencha, on: "stranger")
    }
    #expect(try await shop.records() == before)
  }

  @Test("each change is delivered once, in order; the same cursor gives the same changes")
  func cursors() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    var products: [ProductID] = []
    var cursor = Self.start
    for product in [TeaShop.oolong, TeaShop.sencha, TeaShop.teapot] {
      try await shop.store.beginPromotedPurchase(of: product, on: phone.id)
      let next = try await received(shop, phone, after: cursor)
      #expect(try await received(shop, phone, after: cursor) == next)
      products += next.changes.flatMap(\.productIDs)
      #expect(next.cursor > cursor)
      cursor = next.cursor
    }
    #expect(products == [TeaShop.oolong, TeaShop.sencha, TeaShop.teapot])
    #expect(try await received(shop, phone, after: cursor) == DeviceChanges(changes: [], cursor: cursor))
    #expect(try await received(shop, phone).changes.count == 3)
  }

  @Test("a cursor never means something else later, also after a reset and a restart")
  func lastingCursors() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    try await shop.store.beginPromotedPurchase(of: TeaShop.oolong, on: phone.id)
    let cursor = try await received(shop, phone).cursor
    let snapshot = try await shop.store.snapshot()
    try await shop.store.reset()
    try shop.store.close()
    let again = try await TeaShop(directory: folder.url)
    for _ in 1...2 {
      let phone = try await again.phone()
      try await again.store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
      #expect(try await received(again, phone, after: cursor).changes.flatMap(\.productIDs).last == TeaShop.sencha)
      try await again.store.restore(snapshot)
    }
    try again.store.close()
  }

  @Test("a new installation receives changes from its registration on, and no earlier ones")
  func greeting() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.store.beginPromotedPurchase(of: TeaShop.oolong, on: phone.id)
    let greeting = try await shop.store.register(
      InstallationRegistration(
        installationID: "new", bundleID: TeaShop.app, environment: .sandbox, deviceID: UUID(), applicationVersion: "1"))
    #expect(try await shop.store.changes(after: greeting.changeCursor, waitSeconds: 0, for: "new").changes.isEmpty)
    try await shop.store.beginPromotedPurchase(of: TeaShop.sencha, on: "new")
    let changes = try await shop.store.changes(after: greeting.changeCursor, waitSeconds: 0, for: "new").changes
    #expect(changes.flatMap(\.productIDs) == [TeaShop.sencha])
  }

  @Test("a waiting request is answered by a change of its installation, not of another one")
  func waiting() async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    let store = shop.store
    let rings = store.database.deviceChanges.count
    async let answer = store.changes(after: Self.start, waitSeconds: 60, for: phone.id)
    try await store.beginPromotedPurchase(of: TeaShop.oolong, on: tablet.id)
    try await store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    #expect(try await answer.changes.flatMap(\.productIDs) == [TeaShop.sencha])
    #expect(store.database.deviceChanges.count == rings + 2)
  }

  @Test("an unknown installation is asked to register, and a cancelled wait ends")
  func endings() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let store = shop.store
    #expect(
      try await refusal { _ = try await store.changes(after: Self.start, waitSeconds: 60, for: "stranger") }
        == .unknownInstallation)
    let wait = Task { try await store.changes(after: Self.start, waitSeconds: 60, for: phone.id) }
    wait.cancel()
    // Ends, whether the call was cancelled before or during its wait.
    _ = await wait.result
    #expect(
      try await store.changes(after: Self.start, waitSeconds: -1, for: phone.id)
        == DeviceChanges(changes: [], cursor: Self.start))
  }

  @Test("the signal wakes all waiting tasks, also those that read its count before it was sent")
  func signal() async {
    let signal = ChangeSignal(machine: SystemClock())
    let noted = signal.count
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...50 { group.addTask { await signal.wait(beyond: noted, seconds: 1_000) } }
      group.addTask { signal.notify() }
      await group.waitForAll()
    }
    await signal.wait(beyond: noted, seconds: 1_000)
    #expect(signal.count == noted + 1)
    await signal.wait(beyond: signal.count, seconds: 0)
  }
}
