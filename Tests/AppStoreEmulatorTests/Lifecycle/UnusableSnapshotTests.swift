import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A snapshot that cannot be restored", .timeLimit(.minutes(30)))
struct UnusableSnapshotTests {
  private func bought() async throws -> TeaShop {
    let shop = try await TeaShop()
    try await shop.buy(as: "one", on: try await shop.phone())
    try await shop.buy(as: "two", on: try await shop.phone())
    return shop
  }

  /// Expects that `snapshot` is refused with a reason that contains `word`, and that nothing is changed.
  private func expectRefusal(
    of snapshot: Data, by shop: TeaShop, naming word: String, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let (before, epoch, rings) = (try await shop.records(), shop.store.epoch, shop.store.database.deviceChanges.count)
    do {
      try await shop.store.restore(snapshot)
      Issue.record("it was restored", sourceLocation: location)
    } catch AppStoreEmulatorError.unusableSnapshot(let reason) {
      #expect(word.isEmpty || reason.contains(word), "\(reason)", sourceLocation: location)
    }
    #expect(try await shop.records() == before, sourceLocation: location)
    #expect(shop.store.epoch == epoch && shop.store.database.deviceChanges.count == rings, sourceLocation: location)
  }

  @Test("a file that is no database, or half of one, is refused and changes nothing")
  func noDatabase() async throws {
    let shop = try await bought()
    let snapshot = try await shop.store.snapshot()
    for (data, word) in [
      (Data(), "did not make it"), (Data("Tea".utf8), ""), (Data(repeating: 0x41, count: 100_000), "not a database"),
      (snapshot.prefix(snapshot.count / 2), ""), (snapshot.prefix(50), ""),
    ] {
      try await expectRefusal(of: data, by: shop, naming: word)
    }
  }

  @Test("a page that was overwritten is noticed wherever it lies")
  func damagedPages() async throws {
    let shop = try await bought()
    let snapshot = try await shop.store.snapshot()
    let pages = snapshot.count / 4096
    #expect(pages > 20)
    for page in 1..<pages {
      var damaged = snapshot
      damaged.replaceSubrange(page * 4096..<page * 4096 + 512, with: Data(repeating: 0xFF, count: 512))
      try await expectRefusal(of: damaged, by: shop, naming: "")
    }
  }

  @Test("another program's database is refused")
  func otherDatabase() async throws {
    let shop = try await bought()
    let other = try TeaShop.edited(Data()) { try $0.execute(sql: "CREATE TABLE store (id INTEGER PRIMARY KEY)") }
    try await expectRefusal(of: other, by: shop, naming: "did not make it")
  }

  @Test("a newer version's is refused, and says so")
  func newer() async throws {
    let shop = try await bought()
    let newer = try TeaShop.edited(try await shop.store.snapshot()) {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999 from the future')")
    }
    try await expectRefusal(of: newer, by: shop, naming: "newer version")
  }

  @Test(
    "books that contradict themselves, or hold what cannot be read, are refused",
    arguments: [
      ("DELETE FROM store", "not a store's"),
      ("UPDATE store SET nextSequence = 2", "counters"),
      ("UPDATE store SET nextSequence = 0", "counters"),
      ("UPDATE store SET nextSequence = 1000000001", "counters"),
      ("UPDATE store SET nextSequence = 1000000000", "counters"),
      ("UPDATE store SET nextSequence = 999000001", "counters"),
      ("UPDATE store SET nextSequence = 9223372036854775807", "counters"),
      ("UPDATE store SET nextSequence = -1", "counters"),
      ("UPDATE store SET generation = 9223372036854775807", "counters"),
      ("UPDATE store SET generation = -1", "counters"),
      ("UPDATE store SET storefrontCountryCode = 'ATL'", "ATL"),
      ("UPDATE app SET catalogStorefront = 'ATL'", "app 1.catalogStorefront is ATL"),
      ("UPDATE store SET seed = 'grain'", "cannot be read"),
      ("UPDATE store SET lastDate = 4102444800000", "2100"),
      ("UPDATE store SET lastSignedDate = 4102444800000", "2100"),
      ("UPDATE store SET receiptFloor = 4102444800000", "2100"),
      ("UPDATE store SET receiptFloor = 9223372036854775807", "nothing can be signed"),
      ("UPDATE customer SET storefrontCountryCode = 'ATL' WHERE environment = 'Production'", "Code is ATL"),
      ("UPDATE customer SET storefrontCountryCode = ''", "storefront"),
      ("UPDATE customer SET paymentMethod = 'gold'", "cannot be read"),
      ("UPDATE product SET definition = '{}'", "cannot be read"),
      ("UPDATE transactionRecord SET transactionID = 'x' WHERE sequence = 1", "cannot be read"),
      ("UPDATE charge SET amount = 'much'", "cannot be read"),
      ("UPDATE payment SET request = '{'", "cannot be read"),
      ("UPDATE payment SET transactionID = NULL", "a payment that was charged has no transaction"),
      ("DELETE FROM installation", "payment refers to one that is missing"),
      ("DROP TABLE charge", ""),
      ("UPDATE transactionRecord SET purchaseDate = -1 WHERE sequence = 1", "transactionRecord 1.record.purchaseDate"),
      ("UPDATE transactionRecord SET purchaseDate = 9223372036854775807", "purchaseDate"),
      ("UPDATE transactionRecord SET quantity = 0", "quantity is 0"),
      ("UPDATE charge SET amount = 9223372036854775807", "charge 1.amount"),
      ("UPDATE charge SET date = -9223372036854775808", "charge 1.date"),
      ("UPDATE payment SET decisionDate = 0 WHERE paymentID = 'two'", "payment 2.decisionDate"),
      ("UPDATE payment SET request = json_set(request, '$.quantity', 0)", ""),
      ("UPDATE installation SET registrationDate = 1", "installation 1.registrationDate"),
      ("UPDATE transactionRecord SET originalTransactionID = 'x'", "cannot be read"),
    ])
  func contradictions(edit: String, word: String) async throws {
    let shop = try await bought()
    let edited = try TeaShop.edited(try await shop.store.snapshot()) { try $0.execute(sql: edit) }
    try await expectRefusal(of: edited, by: shop, naming: word)
  }

  @Test("a request for a refund waits only until the refund, and is not decided before it was made")
  func refundRequests() async throws {
    let shop = try await bought()
    let id = try await shop.newestTransaction().record.transactionID
    _ = try await shop.store.requestRefund(of: id)
    _ = try await shop.store.refund(id)
    let snapshot = try await shop.store.snapshot()
    for (edit, word) in [
      ("outcome = NULL, percentage = NULL, decisionDate = NULL", "although its transaction was refunded"),
      ("decisionDate = date - 1", "refundRequest 1: it was decided before it was made"),
    ] {
      let edited = try TeaShop.edited(snapshot) { try $0.execute(sql: "UPDATE refundRequest SET \(edit)") }
      try await expectRefusal(of: edited, by: shop, naming: word)
    }
    try await shop.store.restore(snapshot)
  }

  @Test(
    "rows that no store has written although each of them can be read are refused",
    arguments: [
      ("UPDATE apiKey SET issuerID = '6f6a3a1c-7b7b-4f3e-9e33-0a1b2c3d4e5f'", "the issuer of a key is missing"),
      ("UPDATE subscription SET revision = 0", "subscription 1.revision is 0"),
      (
        "UPDATE subscription SET revision = (SELECT min(revision) FROM transactionRecord)",
        "two changes have one number"
      ),
      (
        "UPDATE transactionRecord SET finishedDate = purchaseDate, finishRevision = revision WHERE type = 'Consumable'",
        "two changes have one number"
      ),
      ("DELETE FROM storeEvent WHERE kind = 'transaction.extended'", "an event is missing between others"),
      ("DELETE FROM storeEvent WHERE kind = 'installation.promotedPurchase'", "an event is missing between others"),
      (
        "UPDATE storeEvent SET isFilledIn = TRUE; DELETE FROM storeEvent WHERE kind = 'transaction.added'",
        "a row of transactionRecord has no event"
      ),
      (
        "UPDATE storeEvent SET isFilledIn = TRUE; DELETE FROM storeEvent WHERE kind = 'transaction.refunded'",
        "a row of refund has no event"
      ),
      (
        "UPDATE storeEvent SET isFilledIn = TRUE; DELETE FROM storeEvent WHERE kind LIKE 'subscription.%'",
        "a row of subscriptionStep has no event"
      ),
      (
        "UPDATE storeEvent SET content = NULL WHERE kind = 'transaction.refunded'",
        "lacks a value of transaction.refunded"
      ),
      (
        "UPDATE storeEvent SET content = NULL WHERE kind = 'transaction.extended'",
        "lacks a value of transaction.extended"
      ),
      (
        "UPDATE storeEvent SET content = NULL WHERE kind = 'transaction.refundRequested'",
        "lacks a value of transaction.refundRequested"
      ),
      (
        "UPDATE storeEvent SET content = json_remove(content, '$.productIDs') WHERE kind = 'installation.promotedPurchase'",
        "lacks a value of installation.promotedPurchase"
      ),
    ])
  func neverWritten(edit: String, reason: String) async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    _ = try await shop.store.addAPIKey(for: TeaShop.app)
    _ = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    let id = try await shop.newestTransaction().record.transactionID
    _ = try await shop.store.requestRefund(of: id)
    _ = try await shop.store.refund(id)
    let plan = try await shop.store.purchase(TeaShop.monthly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try await shop.store.changeClock(.advance(milliseconds: 40 * 86_400_000))
    try await TeaServer(shop).send(
      ExtendSubscriptionRenewalDate(
        originalTransactionId: plan.record.transactionID,
        ExtendRenewalDateRequest(extendByDays: 1, extendReasonCode: OpenEnum(.other), requestIdentifier: "outage")))
    try await shop.store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    try await shop.store.setAutoRenew(ofSubscription: plan.record.transactionID, isOn: false)
    let snapshot = try await shop.store.snapshot()
    let edited = try TeaShop.edited(snapshot) { database in
      let changes = database.totalChangesCount
      try database.execute(sql: edit)
      #expect(database.totalChangesCount > changes)
    }
    try await expectRefusal(of: edited, by: shop, naming: reason)
    try await shop.store.restore(snapshot)
    // Its events have numbers of before and after.
    try await shop.purchase()
    try await shop.store.restore(try await shop.store.snapshot())
  }

  @Test("with a million transaction numbers left it is restored, and the store goes on with them")
  func roomLeft() async throws {
    let shop = try await bought()
    let edited = try TeaShop.edited(try await shop.store.snapshot()) {
      try $0.execute(sql: "UPDATE store SET nextSequence = 999000000")
    }
    try await shop.store.restore(edited)
    try await shop.buy(as: "three", on: try await shop.phone())
    #expect(try await shop.newestTransaction().record.transactionID.rawValue.hasSuffix("999000000"))
  }

  @Test("other content of a snapshot's file stays there")
  func foreignObjects() async throws {
    let shop = try await bought()
    let before = try await shop.trade()
    let edited = try TeaShop.edited(try await shop.store.snapshot()) { database in
      try database.execute(sql: "CREATE TABLE luggage (x)")
      try database.execute(
        sql: "CREATE TRIGGER thief AFTER INSERT ON charge BEGIN DELETE FROM charge; END")
    }
    try await shop.store.restore(edited)
    #expect(try await shop.trade() == before)
    try await shop.buy(as: "three", on: try await shop.phone())
    #expect(try await shop.store.charges().count == 3)
    #expect(try await shop.records()["luggage"] == nil)
  }
}
