import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct LedgerCatalogTests {
  private func file(_ name: String, _ digit: Character = "b") -> ContentFile {
    ContentFile(name: name, size: 10, sha256: String(repeating: digit, count: 64), mediaType: "text/plain")
  }

  @Test(
    "A3 the list has what is listed, in one order, and its revision grows with every change",
    arguments: LedgerEngine.allCases)
  func list(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let before = try await desk.ledger.catalog(of: LedgerDesk.app)
    let words = ["en": LedgerProduct.Localisation(name: "Atlas", description: "Maps")]
    let atlas = LedgerProduct(id: "com.example.reader.atlas", type: .nonConsumable, localisations: words)

    try await desk.ledger.publish(atlas, app: LedgerDesk.app, by: "olga")
    let after = try await desk.ledger.catalog(of: LedgerDesk.app)
    try await desk.ledger.publish(atlas, app: LedgerDesk.app, by: "olga")

    #expect(
      after.products.map(\.product.id) == [
        "com.example.reader.atlas", LedgerDesk.book, LedgerDesk.club, LedgerDesk.coins, LedgerDesk.magazine,
      ])
    #expect(after.products.first?.product == atlas)
    #expect(after.revision > before.revision)
    #expect(try await desk.ledger.catalog(of: LedgerDesk.app).revision == after.revision)
    try await desk.ledger.publish(
      LedgerProduct(id: atlas.id, type: .nonConsumable, isListed: false), app: LedgerDesk.app, by: "olga")
    #expect(try await desk.ledger.catalog(of: LedgerDesk.app).products.count == 4)
  }

  @Test("A product keeps its type once anybody has it", arguments: LedgerEngine.allCases)
  func typeIsFixed(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    func publish(_ id: ProductID, _ type: ProductType) async throws {
      try await desk.ledger.publish(LedgerProduct(id: id, type: type), app: LedgerDesk.app, by: "olga")
    }
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)
    try await desk.ledger.grant(
      .product(LedgerDesk.magazine, accessUntil: nil), to: ada.customer, app: LedgerDesk.app, key: "a", reason: "r",
      by: "olga")

    for id in [LedgerDesk.book, LedgerDesk.magazine] {
      await #expect(throws: LedgerError.productTypeFixed(id, .nonConsumable)) { try await publish(id, .consumable) }
    }
    // No customer has this product yet, so its type can still be corrected.
    try await publish(LedgerDesk.club, .nonConsumable)
    #expect(try await desk.redeem(LedgerDesk.purchase(LedgerDesk.club, 2), for: ada).given != nil)
  }

  @Test(
    "Files are published together; the same again are the same version; others are the next",
    arguments: LedgerEngine.allCases)
  func files(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let app = LedgerDesk.app

    let second = try await desk.ledger.publish(
      files: [file("b"), file("a")], of: LedgerDesk.book, app: app, by: "olga")
    let again = try await desk.ledger.publish(files: [file("a"), file("b")], of: LedgerDesk.book, app: app, by: "olga")
    let third = try await desk.ledger.publish(files: [file("a", "c")], of: LedgerDesk.book, app: app, by: "olga")

    #expect(second.version == 2)
    #expect(second.files.map(\.name) == ["a", "b"])
    #expect(again == second)
    #expect(third.version == 3)
    let listed = try await desk.ledger.catalog(of: app).products.first { $0.product.id == LedgerDesk.book }
    #expect(listed?.content == third)
    #expect(try await desk.ledger.contentDigests().count == 3)
  }

  @Test("What cannot be published is refused, with what is wrong")
  func invalid() async throws {
    let desk = try await LedgerDesk.open(.sqlite)
    let five = LedgerProduct.Credits(unit: LedgerDesk.coin, amount: 5)
    let products = [
      LedgerProduct(id: "", type: .consumable), LedgerProduct(id: "a\0", type: .consumable),
      LedgerProduct(id: "a", type: .nonConsumable, credits: five),
      LedgerProduct(id: "a", type: .consumable, credits: .init(unit: LedgerDesk.coin, amount: 0)),
      LedgerProduct(id: "a", type: .nonRenewingSubscription),
      LedgerProduct(id: "a", type: .nonRenewingSubscription, accessDays: 0),
      LedgerProduct(id: "a", type: .nonConsumable, accessDays: 3),
      LedgerProduct(
        id: "a", type: .consumable, localisations: ["no tag": .init(name: "", description: "")]),
    ]
    for product in products {
      await #expect(throws: LedgerError.self) {
        try await desk.ledger.publish(product, app: LedgerDesk.app, by: "olga")
      }
    }
    for name in ["", "a/b", "a\\b", "..", ".", "a\u{0}", "a\nb", String(repeating: "n", count: 256)] {
      await #expect(throws: LedgerError.self) {
        try await desk.ledger.publish(files: [file(name)], of: LedgerDesk.book, app: LedgerDesk.app, by: "olga")
      }
    }
    for files in [[], [file("a"), file("a", "c")]] {
      await #expect(throws: LedgerError.self) {
        try await desk.ledger.publish(files: files, of: LedgerDesk.book, app: LedgerDesk.app, by: "olga")
      }
    }
    await #expect(throws: LedgerError.unknownProduct("com.example.none")) {
      try await desk.ledger.publish(files: [file("a")], of: "com.example.none", app: LedgerDesk.app, by: "olga")
    }
    #expect(try await desk.ledger.catalog(of: LedgerDesk.app).products.count == 4)
  }

  @Test("What was given before there were files is delivered when there are", arguments: LedgerEngine.allCases)
  func filesLater(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, app) = (try await desk.identified("ada"), LedgerDesk.app)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.magazine, 1), for: ada)
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: app) == [])

    _ = try await desk.ledger.publish(files: [file("issue")], of: LedgerDesk.magazine, app: app, by: "olga")
    let deliveries = try await desk.ledger.deliveries(of: ada.customer, app: app)

    #expect(deliveries.map(\.source) == ["1"])
    #expect(deliveries.first?.content?.files.map(\.name) == ["issue"])
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: app) == deliveries)
    let refunded = LedgerDesk.purchase(LedgerDesk.magazine, 1, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 5))
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: app) == [])
  }

  @Test("A delivery has the newest files; it ends with the access it comes from", arguments: LedgerEngine.allCases)
  func deliveries(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    _ = try await desk.ledger.publish(files: [file("issue")], of: LedgerDesk.magazine, app: LedgerDesk.app, by: "olga")
    try await desk.ledger.grant(
      .product(LedgerDesk.magazine, accessUntil: LedgerDesk.start.adding(seconds: 100)), to: ada.customer,
      app: LedgerDesk.app, key: "trial", reason: "a trial", by: "olga")
    let delivery = try #require(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app).first?.id)
    _ = try await desk.ledger.publish(
      files: [file("next issue")], of: LedgerDesk.magazine, app: LedgerDesk.app, by: "olga")

    #expect(try await desk.ledger.delivery(delivery).content?.files.map(\.name) == ["next issue"])
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app).map(\.id) == [delivery])
    desk.clock.advance(seconds: 100)

    await #expect(throws: LedgerError.deliveryEnded) { try await desk.ledger.delivery(delivery) }
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app) == [])
    await #expect(throws: LedgerError.unknownDelivery) { try await desk.ledger.delivery(UUID()) }
  }
}
