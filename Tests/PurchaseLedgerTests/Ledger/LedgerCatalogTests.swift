import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct LedgerCatalogTests {
  private func file(_ name: String, _ digit: Character = "b") -> ContentFile {
    ContentFile(name: name, size: 10, sha256: String(repeating: digit, count: 64), mediaType: "text/plain")
  }

  @Test(
    "A3 the list contains the listed products in a fixed order, and its revision grows with every change",
    arguments: LedgerEngine.allCases)
  func list(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let before = try await fixture.ledger.catalog(of: TestLedger.app)
    let localisations = ["en": LedgerProduct.Localisation(name: "Atlas", description: "Maps")]
    let atlas = LedgerProduct(id: "com.example.reader.atlas", type: .nonConsumable, localisations: localisations)

    try await fixture.ledger.publish(atlas, app: TestLedger.app, by: "olga")
    let after = try await fixture.ledger.catalog(of: TestLedger.app)
    try await fixture.ledger.publish(atlas, app: TestLedger.app, by: "olga")

    #expect(
      after.products.map(\.product.id) == [
        "com.example.reader.atlas", TestLedger.book, TestLedger.club, TestLedger.coins, TestLedger.magazine,
      ])
    #expect(after.products.first?.product == atlas)
    #expect(after.revision > before.revision)
    #expect(try await fixture.ledger.catalog(of: TestLedger.app).revision == after.revision)
    try await fixture.ledger.publish(
      LedgerProduct(id: atlas.id, type: .nonConsumable, isListed: false), app: TestLedger.app, by: "olga")
    #expect(try await fixture.ledger.catalog(of: TestLedger.app).products.count == 4)
  }

  @Test(
    "Texts and file names of other bytes replace what is stored, also if they are canonically equivalent",
    arguments: LedgerEngine.allCases)
  func equivalentTexts(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (app, texts) = (TestLedger.app, ["Caf\u{E9}", "Cafe\u{301}"])
    for (place, text) in texts.enumerated() {
      try await fixture.ledger.publish(
        LedgerProduct(
          id: TestLedger.book, type: .nonConsumable, localisations: ["fr": .init(name: text, description: text)]),
        app: app, by: "olga")
      let stored = try await fixture.ledger.product(TestLedger.book, of: app).product.product.localisations["fr"]
      #expect(stored?.name.hasBytes(of: text) == true && stored?.description.hasBytes(of: text) == true)
      let content = try await fixture.ledger.publish(
        files: [file("\(text).txt")], of: TestLedger.book, app: app, by: "olga")
      #expect(content.version == Int64(place + 2) && content.files[0].name.hasBytes(of: "\(text).txt"))
    }
    // Two of them are no two names: some file systems cannot have both.
    await #expect(throws: LedgerError.self) {
      try await fixture.ledger.publish(files: texts.map { file($0) }, of: TestLedger.book, app: app, by: "olga")
    }
  }

  @Test("A product keeps its type once a customer owns it", arguments: LedgerEngine.allCases)
  func typeIsFixed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    func publish(_ id: ProductID, _ type: ProductType) async throws {
      try await fixture.ledger.publish(LedgerProduct(id: id, type: type), app: TestLedger.app, by: "olga")
    }
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
    try await fixture.ledger.grant(
      .product(TestLedger.magazine, accessUntil: nil), to: ada.customer, app: TestLedger.app, key: "a", reason: "r",
      by: "olga")

    for id in [TestLedger.book, TestLedger.magazine] {
      await #expect(throws: LedgerError.productTypeFixed(id, .nonConsumable)) { try await publish(id, .consumable) }
    }
    // No customer has this product yet, so its type can still be corrected.
    try await publish(TestLedger.club, .nonConsumable)
    #expect(try await fixture.redeem(TestLedger.purchase(TestLedger.club, 2), for: ada).given != nil)
  }

  @Test(
    "Files are published together; publishing the same files keeps the version; other files get the next version",
    arguments: LedgerEngine.allCases)
  func files(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let app = TestLedger.app

    let second = try await fixture.ledger.publish(
      files: [file("b"), file("a")], of: TestLedger.book, app: app, by: "olga")
    let again = try await fixture.ledger.publish(
      files: [file("a"), file("b")], of: TestLedger.book, app: app, by: "olga")
    let third = try await fixture.ledger.publish(files: [file("a", "c")], of: TestLedger.book, app: app, by: "olga")

    #expect(second.version == 2)
    #expect(second.files.map(\.name) == ["a", "b"])
    #expect(again == second)
    #expect(third.version == 3)
    let listed = try await fixture.ledger.catalog(of: app).products.first { $0.product.id == TestLedger.book }
    #expect(listed?.content == third)
    #expect(try await fixture.ledger.contentDigests().count == 3)
  }

  @Test("Invalid products and files are refused with a reason")
  func invalid() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    let five = LedgerProduct.Credits(unit: TestLedger.coin, amount: 5)
    let products = [
      LedgerProduct(id: "", type: .consumable), LedgerProduct(id: "a\0", type: .consumable),
      LedgerProduct(id: "a", type: .nonConsumable, credits: five),
      LedgerProduct(id: "a", type: .consumable, credits: .init(unit: TestLedger.coin, amount: 0)),
      LedgerProduct(id: "a", type: .nonRenewingSubscription),
      LedgerProduct(id: "a", type: .nonRenewingSubscription, accessDays: 0),
      LedgerProduct(id: "a", type: .nonConsumable, accessDays: 3),
      LedgerProduct(
        id: "a", type: .consumable, localisations: ["no tag": .init(name: "", description: "")]),
      LedgerProduct(
        id: "a", type: .consumable, localisations: ["\u{212A}o": .init(name: "", description: "")]),
    ]
    for product in products {
      await #expect(throws: LedgerError.self) {
        try await fixture.ledger.publish(product, app: TestLedger.app, by: "olga")
      }
    }
    let names = [
      "", "a/b", "a\\b", "..", ".", "a\u{0}", "a\nb", String(repeating: "n", count: 256),
      // A mark makes one character of itself and the slash.
      "a/\u{301}b",
      // They change the direction, show nothing, or are a line break.
      "cod\u{202E}fdp.exe", "a\u{200B}.txt", "\u{3164}", "a\u{2028}b", "a\u{E0041}.txt", "a\u{85}",
    ]
    for name in names {
      await #expect(throws: LedgerError.self) {
        try await fixture.ledger.publish(files: [file(name)], of: TestLedger.book, app: TestLedger.app, by: "olga")
      }
    }
    // Blanks of other scripts, combining marks, and variation selectors of emoji are visible, or expected.
    let visible = ["第一巻\u{3000}上.epub", "Shot 9.41\u{202F}AM.png", "e\u{301}.txt", "\u{2764}\u{FE0F}.txt"]
    let content = try await fixture.ledger.publish(
      files: visible.map { file($0) }, of: TestLedger.book, app: TestLedger.app, by: "olga")
    #expect(Set(content.files.map(\.name)) == Set(visible))
    for files in [[], [file("a"), file("a", "c")]] {
      await #expect(throws: LedgerError.self) {
        try await fixture.ledger.publish(files: files, of: TestLedger.book, app: TestLedger.app, by: "olga")
      }
    }
    await #expect(throws: LedgerError.unknownProduct("com.example.none")) {
      try await fixture.ledger.publish(files: [file("a")], of: "com.example.none", app: TestLedger.app, by: "olga")
    }
    #expect(try await fixture.ledger.catalog(of: TestLedger.app).products.count == 4)
  }

  @Test("A purchase made before files were published gets a delivery when they are", arguments: LedgerEngine.allCases)
  func filesLater(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, app) = (try await fixture.identified("ada"), TestLedger.app)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.magazine, 1), for: ada)
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: app) == [])

    _ = try await fixture.ledger.publish(files: [file("issue")], of: TestLedger.magazine, app: app, by: "olga")
    let deliveries = try await fixture.ledger.deliveries(of: ada.customer, app: app)

    #expect(deliveries.map(\.source) == ["1"])
    #expect(deliveries.first?.content?.files.map(\.name) == ["issue"])
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: app) == deliveries)
    let refunded = TestLedger.purchase(TestLedger.magazine, 1, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 5))
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: app) == [])
  }

  @Test(
    "A delivery contains the newest files, and ends with the access that it belongs to",
    arguments: LedgerEngine.allCases)
  func deliveries(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.ledger.publish(
      files: [file("issue")], of: TestLedger.magazine, app: TestLedger.app, by: "olga")
    try await fixture.ledger.grant(
      .product(TestLedger.magazine, accessUntil: TestLedger.start.adding(seconds: 100)), to: ada.customer,
      app: TestLedger.app, key: "trial", reason: "a trial", by: "olga")
    let delivery = try #require(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app).first?.id)
    _ = try await fixture.ledger.publish(
      files: [file("next issue")], of: TestLedger.magazine, app: TestLedger.app, by: "olga")

    #expect(try await fixture.ledger.delivery(delivery).content?.files.map(\.name) == ["next issue"])
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app).map(\.id) == [delivery])
    fixture.clock.advance(seconds: 100)

    await #expect(throws: LedgerError.deliveryEnded) { try await fixture.ledger.delivery(delivery) }
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app) == [])
    await #expect(throws: LedgerError.unknownDelivery) { try await fixture.ledger.delivery(UUID()) }
  }
}
