import AppStoreServerAPI
import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Snapshot and restore", .timeLimit(.minutes(30)))
struct SnapshotTests {
  /// Returns a shop with a row in every table except those of subscriptions, of their offers and of operators' purchases.
  private func busyShop(seed: UInt64 = 7, directory: URL? = nil) async throws -> (shop: TeaShop, phone: Phone) {
    let shop = try await TeaShop.lasting(seed: seed, directory: directory)
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    let teapot = try #require(try await shop.buy(TeaShop.teapot, as: "teapot", on: phone).deliveries.first)
    try await shop.buy(TeaShop.teapot, as: "again", on: phone)
    try await shop.store.refund(try teapot.signed.transactionID)
    try await shop.buy(TeaShop.sencha, quantity: 2, as: "two", username: "leaf", on: phone)
    try await shop.store.finish(try await shop.newestTransaction().record.transactionID, for: phone.id)
    try await shop.store.addCustomer(
      Customer(environment: .sandbox, name: "ada", password: "x", paymentMethod: .declined, needsApproval: true))
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob", paymentMethod: .needsAttention))
    let tablet = try await shop.phone("tablet", signedInAs: nil)
    _ = try await shop.store.signIn(SignInCredentials(account: "ada", password: "x"), on: tablet.id)
    _ = try await shop.store.confirm(try await shop.quote(as: "three", on: tablet), for: tablet.id)
    let watch = try await shop.phone("watch", signedInAs: "bob")
    _ = try await refusal { try await shop.buy(as: "four", on: watch) }
    try await shop.store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    try await shop.store.changeProduct(TeaShop.teapot, of: TeaShop.app, ProductChange(isOnSale: false))
    return (shop, phone)
  }

  @Test("a restored store holds what the snapshot holds, row by row, in this store and in another")
  func roundTrip() async throws {
    let (shop, phone) = try await busyShop()
    _ = try await shop.store.purchase(
      TeaShop.sencha, of: TeaShop.app, for: TeaShop.customer, in: .sandbox, paymentID: "five")
    try await shop.buy(TeaShop.monthly, as: "club", on: phone)
    try await shop.store.database.write { work in
      try work.database.execute(
        sql: "INSERT INTO offerNonce VALUES (?, 'a nonce')", arguments: [TeaShop.app.rawValue])
    }
    let owned = try #require(
      try await shop.store.transactions().first { $0.record.revocationDate == nil && $0.sharedTransactionID == nil }
    ).record.transactionID
    try await shop.store.requestRefund(of: owned)
    let server = try await TeaServer(shop)
    try await server.send(
      SendConsumptionInformation(
        transactionId: owned,
        ConsumptionRequest(
          customerConsented: true, sampleContentProvided: false, deliveryStatus: OpenEnum(.delivered))))
    try await server.send(
      ExtendRenewalDatesForAllActiveSubscribers(
        MassExtendRenewalDateRequest(
          requestIdentifier: UUID(), extendByDays: 1, extendReasonCode: OpenEnum(.other), productId: TeaShop.monthly)))
    _ = try await shop.store.addAPIKey(for: TeaShop.app)
    let before = try await shop.trade()
    #expect(before.filter(\.value.isEmpty).isEmpty)
    let snapshot = try await shop.store.snapshot()
    #expect(try await shop.trade() == before)

    try await shop.buy(as: "later", on: phone)
    try await shop.sell([])
    try await shop.store.restore(snapshot)
    #expect(try await shop.trade().isRestored(from: before))

    let folder = try ScratchFolder()
    defer { folder.remove() }
    let other = try await TeaShop(seed: 99, directory: folder.url)
    try await other.store.serve("org.example.other", catalog: [])
    let epoch = try await other.store.restore(snapshot)
    #expect(try await other.trade().isRestored(from: before))
    try other.store.close()
    let again = try EmulatedAppStore(.init(directory: folder.url, wallClock: other.clock))
    #expect(again.epoch == epoch)
    #expect(try await again.transactions().count == 5)
    try again.close()
  }

  @Test("a snapshot is one SQLite file that any program opens")
  func file() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let (shop, _) = try await busyShop(directory: folder.url)
    let snapshot = try await shop.store.snapshot()
    #expect(snapshot.starts(with: Data("SQLite format 3\0".utf8)))
    // SQLite's file format: bytes 18 and 19 are 2 in WAL mode, which needs more files, and otherwise 1.
    #expect(Array(snapshot[18...19]) == [1, 1])
    _ = try TeaShop.edited(snapshot) { database in
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM charge")
      let check = try String.fetchAll(database, sql: "PRAGMA integrity_check")
      #expect((count, check) == (3, ["ok"]))
    }
  }

  @Test("a data folder's own file can be restored once the store is closed")
  func ownFile() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let (shop, _) = try await busyShop(directory: folder.url)
    let before = try await shop.trade()
    try shop.store.close()
    let file = try Data(contentsOf: folder.url.appending(path: "store.sqlite"))
    let other = try await TeaShop(seed: 1)
    try await other.store.restore(file)
    #expect(try await other.trade().isRestored(from: before))
  }

  @Test("what was bought keeps its id; what is bought afterwards bears a new epoch, and a number never used before")
  func ids() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let first = shop.store.epoch.rawValue
    try await shop.buy(as: "one", on: phone)
    let snapshot = try await shop.store.snapshot()
    try await shop.buy(as: "two", on: phone)
    var ids = try await shop.store.transactions().map(\.record.transactionID.rawValue)
    for _ in 1...2 {
      let epoch = try await shop.store.restore(snapshot)
      #expect(try await shop.store.transactions().map(\.record.transactionID.rawValue) == [first + "000000001"])
      try await shop.buy(as: "two", on: try await shop.phone())
      let id = try await shop.newestTransaction().record.transactionID.rawValue
      #expect(id.hasPrefix(epoch.rawValue))
      ids.append(id)
    }
    #expect(Set(ids).count == 4)
    #expect(Set(ids.map { $0.suffix(9) }).count == 4)
  }

  @Test("the generation is one more than the larger of both, and the epoch neither store's")
  func generations() async throws {
    let (young, old) = (try await TeaShop(seed: 7), try await TeaShop(seed: 7))
    let early = try await young.store.snapshot()
    var seen = [old.store.epoch]
    for _ in 1...3 { seen.append(try await old.store.reset()) }
    seen.append(try await old.store.restore(early))
    #expect(try await old.row().generation == 4)
    seen.append(try await young.store.restore(try await old.store.snapshot()))
    #expect(try await young.row().generation == 5)
    #expect(Set(seen).count == 6)
  }

  @Test("without a seed, two stores restored from one snapshot begin different epochs")
  func separateWays() async throws {
    let snapshot = try await TeaShop(seed: 7).store.snapshot()
    let epochs = try await [
      EmulatedAppStore(.inMemory()).restore(snapshot), EmulatedAppStore(.inMemory()).restore(snapshot),
    ]
    #expect(epochs[0] != epochs[1])
    let seeded = try await [
      EmulatedAppStore(.inMemory(seed: 7)).restore(snapshot), EmulatedAppStore(.inMemory(seed: 7)).restore(snapshot),
    ]
    #expect(seeded[0] == seeded[1])
  }

  @Test("dates go on from the later of both: the clock never goes back, and signedDate strictly increases")
  func dates() async throws {
    let (early, late) = (try await TeaShop(), try await TeaShop(opening: TeaShop.opening.adding(seconds: 864_000)))
    try await late.buy(on: try await late.phone())
    let (snapshot, signed) = (try await late.store.snapshot(), try await late.row().lastSignedDate)
    try await early.store.restore(snapshot)
    #expect(early.store.clock.now >= TeaShop.opening.adding(seconds: 864_000))
    let phone = try await early.phone()
    let delivery = try #require(try await early.store.unfinished(for: phone.id).deliveries.first)
    #expect(try UnverifiedJWS(delivery.signedTransaction).transaction().signedDate > signed)
    early.clock.advance(seconds: 5)
    #expect(try await early.store.clockReading().now >= TeaShop.opening.adding(seconds: 864_005))

    let before = try await late.row()
    try await late.store.restore(try await TeaShop(seed: 1).store.snapshot())
    #expect(try await late.row().lastSignedDate == before.lastSignedDate)
    #expect(try await late.row().lastDate == before.lastDate)
    #expect(late.store.clock.now >= before.lastDate)
  }

  @Test("a device the snapshot knows registers again, and is still signed in")
  func devices() async throws {
    let (shop, phone) = try await busyShop()
    let snapshot = try await shop.store.snapshot()
    let rings = shop.store.database.deviceChanges.count
    let epoch = try await shop.store.restore(snapshot)
    #expect(shop.store.database.deviceChanges.count == rings + 1)
    #expect(try await refusal { _ = try await shop.store.unfinished(for: phone.id) } == .unknownInstallation)
    try await shop.phone(signedInAs: nil)
    #expect(try await shop.quote(as: "new", on: phone).account == TeaShop.customer)
    #expect(try await shop.quote(as: "new", on: phone).epoch == epoch)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.map(\.paymentID) == ["one"])
  }

  @Test("B9 a payment decided before the snapshot is answered as before; one decided after it is over")
  func payments() async throws {
    let (shop, phone) = try await busyShop()
    let decided = try await shop.quote(as: "five", on: phone)
    let first = try await shop.store.confirm(decided, for: phone.id).purchase().deliveries.map(\.paymentID)
    let snapshot = try await shop.store.snapshot()
    let late = try await shop.quote(as: "six", on: phone)
    _ = try await shop.store.confirm(late, for: phone.id).purchase()
    try await shop.store.restore(snapshot)
    try await shop.phone()
    #expect(try await shop.store.confirm(decided, for: phone.id).purchase().deliveries.map(\.paymentID) == first)
    #expect(try await refusal { _ = try await shop.store.confirm(late, for: phone.id) } == .epochEnded)
    #expect(try await shop.store.charges().count == 4)
  }

  @Test("a payment that waits for approval still waits after a restore, and is charged in the new epoch")
  func approval() async throws {
    let (shop, _) = try await busyShop()
    let snapshot = try await shop.store.snapshot()
    let epoch = try await shop.store.restore(snapshot)
    try await shop.store.changeCustomer("ada", .sandbox) { $0.paymentMethod = .valid }
    let waiting = try #require(try await shop.store.pendingApprovals().first)
    let stored = try await shop.store.decideApproval(
      of: waiting.payment.paymentID, on: waiting.installationID, isApproved: true)
    #expect(try #require(stored).record.transactionID.rawValue.hasPrefix(epoch.rawValue))
  }

  @Test("a snapshot of an earlier version is brought up to date")
  func earlierVersion() async throws {
    let queue = try DatabaseQueue()
    try StoreSchema.migrator.migrate(queue, upTo: "1 purchases")
    try await queue.write { database in
      try database.execute(
        sql: "INSERT INTO store VALUES (1, '1234567890', 5, zeroblob(32), 1, 0, 0)")
      try database.execute(
        sql: "INSERT INTO customer VALUES ('Sandbox', 'old', NULL, 'USA', 'valid')")
    }
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "old.sqlite")
    try queue.backup(to: DatabaseQueue(path: file.path))
    let shop = try await TeaShop()
    try await shop.store.restore(try Data(contentsOf: file))
    #expect(try await shop.store.customers() == [Customer(environment: .sandbox, name: "old")])
    #expect(try await shop.store.apps().isEmpty)
  }
}
