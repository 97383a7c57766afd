import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests the rules of Documentation/offerings.md, "Offerings".
@Suite("Offerings", .timeLimit(.minutes(30)))
struct OfferingTests {
  private static let app = TestLedger.app
  private static let summer = OfferingID(rawValue: "summer")!
  private static let winter = OfferingID(rawValue: "winter")!

  private func offering(
    _ id: OfferingID = summer, _ products: [ProductID] = [TestLedger.magazine, TestLedger.book],
    metadata: String = "{}", isCurrent: Bool = false
  ) -> Offering { Offering(id: id, products: products, metadata: metadata, isCurrent: isCurrent) }

  @Test(
    "an offering keeps its order and metadata, and is replaced as a whole; the same one again changes nothing",
    arguments: LedgerEngine.allCases)
  func published(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    #expect(try await ledger.offerings(of: Self.app).isEmpty)
    let first = offering(metadata: #"{"headline":"Für dich"}"#)
    let stored = try await ledger.publish(first, app: Self.app, by: "olga", reason: "a test")
    #expect(stored.offering == first && stored.changed == TestLedger.start)
    let count = try await ledger.auditLog(limit: 100).count

    fixture.clock.advance(seconds: 10)
    try await ledger.publish(first, app: Self.app, by: "olga")
    #expect(try await ledger.offerings(of: Self.app) == [stored])
    #expect(try await ledger.auditLog(limit: 100).count == count)

    let second = offering(Self.summer, [TestLedger.book, TestLedger.coins, TestLedger.club, TestLedger.magazine])
    try await ledger.publish(second, app: Self.app, by: "olga")
    let changed = try await ledger.offerings(of: Self.app)
    #expect(changed.map(\.offering) == [second])
    #expect(changed.map(\.changed) == [fixture.clock.now])
    try await ledger.publish(offering(Self.winter), app: Self.app, by: "olga")
    try await ledger.publish(offering(OfferingID(rawValue: "Z")!), app: Self.app, by: "olga")
    #expect(try await ledger.offerings(of: Self.app).map(\.offering.id.rawValue) == ["Z", "summer", "winter"])
    let entry = try #require(try await ledger.auditLog(limit: 100).first { $0.detail.contains("a test") })
    #expect((entry.action, entry.subject) == ("publishOffering", "\(Self.app) summer"))
    #expect(entry.detail == "\(TestLedger.magazine) \(TestLedger.book): a test")
  }

  @Test(
    "metadata of other bytes replaces what is stored, also if it is canonically equivalent",
    arguments: LedgerEngine.allCases)
  func equivalentMetadata(_ engine: LedgerEngine) async throws {
    let ledger = try await TestLedger.open(engine).ledger
    let texts = ["{\"\u{E9}\":\"\u{212A}\"}", "{\"e\u{301}\":\"K\"}"]
    #expect(texts[0] == texts[1])
    for text in texts + texts {
      let stored = try await ledger.publish(offering(metadata: text), app: Self.app, by: "olga")
      #expect(stored.offering.metadata.hasBytes(of: text))
      #expect(try await ledger.offerings(of: Self.app).first?.offering.metadata.hasBytes(of: text) == true)
    }
    #expect(try await ledger.auditLog(limit: 100).filter { $0.action == "publishOffering" }.count == 4)
  }

  @Test("at most one offering is current, and none can be", arguments: LedgerEngine.allCases)
  func current(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    func current() async throws -> [OfferingID] {
      try await ledger.offerings(of: Self.app).map(\.offering).filter(\.isCurrent).map(\.id)
    }
    try await ledger.publish(offering(Self.summer, isCurrent: true), app: Self.app, by: "olga")
    try await ledger.publish(offering(Self.winter), app: Self.app, by: "olga")
    #expect(try await current() == [Self.summer])
    fixture.clock.advance(seconds: 10)
    try await ledger.publish(offering(Self.winter, isCurrent: true), app: Self.app, by: "olga")
    #expect(try await current() == [Self.winter])
    let former = try await ledger.offerings(of: Self.app).first { $0.offering.id == Self.summer }
    #expect(former?.changed == fixture.clock.now)
    try await ledger.publish(offering(Self.winter), app: Self.app, by: "olga")
    #expect(try await current() == [])

    // Two operators at once: the last one wins.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for chosen in [offering(Self.summer, isCurrent: true), offering(Self.winter, isCurrent: true)] {
        group.addTask { _ = try await ledger.publish(chosen, app: Self.app, by: "olga") }
      }
      try await group.waitForAll()
    }
    #expect(try await current().count == 1)
    // Nothing else can make two current either.
    await #expect(throws: (any Error).self) {
      try await fixture.database.write(locking: []) { transaction in
        _ = try transaction.execute("UPDATE offering SET is_current = 1")
      }
    }
    #expect(try await current().count == 1)
    let last = try #require(try await current().first)
    try await ledger.removeOffering(last, of: Self.app, by: "olga", reason: "over")
    #expect(try await current() == [])
    #expect(try await ledger.offerings(of: Self.app).count == 1)
    await #expect(throws: LedgerError.unknownOffering(last)) {
      try await ledger.removeOffering(last, of: Self.app, by: "olga")
    }
    #expect(try await ledger.auditLog(limit: 100).filter { $0.action == "removeOffering" }.map(\.detail) == ["over"])
  }

  @Test("apps get the listed products, in the offering's order; operators all", arguments: LedgerEngine.allCases)
  func unlisted(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let products = [TestLedger.magazine, TestLedger.club, TestLedger.book]
    try await fixture.ledger.publish(offering(Self.summer, products), app: Self.app, by: "olga")
    for (id, type) in [(TestLedger.club, ProductType.autoRenewableSubscription), (TestLedger.book, .nonConsumable)] {
      try await fixture.ledger.publish(
        LedgerProduct(id: id, type: type, isListed: false), app: Self.app, by: "olga")
    }
    let stored = try #require(try await fixture.ledger.offerings(of: Self.app).first)
    #expect(stored.offering.products == products)
    #expect(stored.unlisted == [TestLedger.club, TestLedger.book])
    #expect(stored.listedProducts == [TestLedger.magazine])
  }

  @Test("what is not valid is refused with a reason, and changes nothing", arguments: LedgerEngine.allCases)
  func invalid(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    // {"a":"…"} has eight bytes more than the text.
    func metadata(_ bytes: Int) -> String { #"{"a":"\#(String(repeating: "x", count: bytes - 8))"}"# }
    let largest = offering(metadata: metadata(16_384))
    #expect(largest.metadata.utf8.count == 16_384)
    try await ledger.publish(largest, app: Self.app, by: "olga")
    let before = try await ledger.offerings(of: Self.app)
    let many = (0...100).map { ProductID("com.example.\($0)") }
    let refused = [
      offering(Self.summer, []), offering(Self.summer, many),
      offering(Self.summer, [TestLedger.book, TestLedger.book]),
      offering(metadata: metadata(16_385)), offering(metadata: "[]"), offering(metadata: "{"), offering(metadata: ""),
      offering(metadata: "null"), offering(metadata: String(repeating: "[", count: 1_000)),
      offering(metadata: #"{"a":1,}"#), offering(metadata: #"{"a":1,"a":2}"#),
      offering(metadata: #"{"\u00e9":1,"e\u0301":2}"#), offering(metadata: #"{"a":01}"#),
    ]
    for wrong in refused {
      await #expect {
        try await ledger.publish(wrong, app: Self.app, by: "olga")
      } throws: { error in
        guard case LedgerError.invalid(_)? = error as? LedgerError else { return false }
        return true
      }
    }
    await #expect(throws: LedgerError.unknownProduct("com.example.none")) {
      try await ledger.publish(
        offering(Self.winter, [TestLedger.book, "com.example.none"]), app: Self.app, by: "olga")
    }
    await #expect(throws: LedgerError.unknownApp("none")) {
      try await ledger.publish(offering(), app: "none", by: "olga")
    }
    await #expect(throws: LedgerError.unknownApp("none")) { try await ledger.offerings(of: "none") }
    await #expect(throws: LedgerError.unknownApp("none")) {
      try await ledger.removeOffering(Self.summer, of: "none", by: "olga")
    }
    #expect(try await ledger.offerings(of: Self.app) == before)
  }

  @Test("an app has at most 100 offerings, and each of them can still be changed")
  func most() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    for number in 1...100 {
      let id = try #require(OfferingID(rawValue: "\(number)"))
      try await fixture.ledger.publish(offering(id), app: Self.app, by: "olga")
    }
    await #expect(throws: LedgerError.self) {
      try await fixture.ledger.publish(offering(Self.summer), app: Self.app, by: "olga")
    }
    let id = try #require(OfferingID(rawValue: "1"))
    let first = offering(id, [TestLedger.coins], isCurrent: true)
    try await fixture.ledger.publish(first, app: Self.app, by: "olga")
    #expect(try await fixture.ledger.offerings(of: Self.app).map(\.offering).contains(first))
    #expect(try await fixture.ledger.offerings(of: Self.app).count == 100)
  }
}
