import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An older copy of the store's folder is put back in place of the folder.
@Suite("An older copy of the data folder that is put back", .timeLimit(.minutes(30)))
struct PutBackFolderTests {
  private let scratch: ScratchFolder
  private let clock = ManualClock(TeaShop.opening)

  init() throws { scratch = try ScratchFolder() }

  private var folder: URL { scratch.url.appending(path: "store") }
  private var copy: URL { scratch.url.appending(path: "copy") }

  /// Opens the store a minute later than before.
  private func open(seed: UInt64? = nil) async throws -> EmulatedAppStore {
    clock.advance(seconds: 60)
    let store = try EmulatedAppStore(.init(directory: folder, wallClock: clock, seed: seed))
    if try await store.apps().isEmpty {
      try await store.serve(TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog(), storefront: nil)])
    }
    return store
  }

  private func keepCopy() throws { try FileManager.default.copyItem(at: folder, to: copy) }

  private func putBack() throws {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: copy, to: folder)
  }

  private func register(_ id: InstallationID = "phone", at store: EmulatedAppStore) async throws -> StoreGreeting {
    let greeting = try await store.register(
      InstallationRegistration(
        installationID: id, bundleID: TeaShop.app, environment: .sandbox,
        deviceID: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), applicationVersion: "1"))
    _ = try await store.signIn(SignInCredentials(account: TeaShop.customer), on: id)
    return greeting
  }

  private func buy(_ payment: PaymentID, at store: EmulatedAppStore) async throws -> TransactionID {
    let quote = try await store.quote(PaymentRequest(paymentID: payment, productID: TeaShop.oolong), for: "phone")
    let batch = try await store.confirm(quote, for: "phone").purchase()
    return try #require(batch.deliveries.first).signed.transactionID
  }

  @Test("B9 gives no transaction id again, and quotes from before it are still valid")
  func transactionIDs() async throws {
    defer { scratch.remove() }
    var store = try await open()
    let epoch = try await register(at: store).epoch
    var ids = [try await buy("1", at: store)]
    let quote = try await store.quote(
      PaymentRequest(paymentID: "under way", productID: TeaShop.oolong), for: "phone")
    try store.close()
    try keepCopy()
    for round in 1...3 {
      store = try await open()
      for payment in 1...20 { ids.append(try await buy(PaymentID("\(round) \(payment)"), at: store)) }
      try store.close()
      try putBack()
    }
    store = try await open()
    ids.append(try await buy("last", at: store))
    let delivery = try #require(try await store.confirm(quote, for: "phone").purchase().deliveries.first)
    ids.append(try delivery.signed.transactionID)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.rawValue.hasPrefix(epoch.rawValue) })
    try store.close()
  }

  @Test("numbers follow the machine's clock, and the skips of openings leave enough numbers")
  func numbers() {
    var row = StoreRow.ofNewStore(seed: nil)
    let year = StoreDate(millisecondsSince1970: 1_798_761_600_000)  // 2027-01-01
    row.skipSequences(at: year)
    #expect(row.nextSequence == 31_536_000)
    for _ in 1...10 {
      let before = row.nextSequence
      row.skipSequences(at: year)
      #expect((1...100_000).contains(row.nextSequence - before))
    }
    row.skipSequences(at: StoreDate(millisecondsSince1970: 200_000_000_000_000))
    #expect(row.nextSequence == StoreRow.restorableSequences.upperBound)
    #expect(StoreRow.changesBefore(StoreDate(millisecondsSince1970: 200_000_000_000_000)) == 900_000_000_000)
  }

  @Test("with a seed, a restart skips no transaction number")
  func seeded() async throws {
    defer { scratch.remove() }
    var store = try await open(seed: 7)
    _ = try await register(at: store)
    let first = try await buy("1", at: store)
    try store.close()
    store = try await open(seed: 7)
    let second = try await buy("2", at: store)
    #expect(second.number == first.number.map { $0 + 1 })
    try store.close()
  }

  @Test("I3 B4 a device that was notified of forgotten changes hears of everything, and of each later change")
  func changes() async throws {
    defer { scratch.remove() }
    var store = try await open()
    let start = try await register(at: store).changeCursor
    try await store.beginPromotedPurchase(of: TeaShop.oolong, on: "phone")
    let before = try await store.changes(after: start, waitSeconds: 0, for: "phone").cursor
    try store.close()
    try keepCopy()
    store = try await open()
    for _ in 1...6 { try await store.beginPromotedPurchase(of: TeaShop.sencha, on: "phone") }
    let forgotten = try await store.changes(after: before, waitSeconds: 0, for: "phone")
    #expect(forgotten.changes.count == 6)
    try store.close()
    try putBack()

    store = try await open()
    try await store.changeSettings(of: "phone") { $0.isRestricted = true }
    let again = try await store.changes(after: forgotten.cursor, waitSeconds: 60, for: "phone")
    let kinds: [StoreChange.Kind] = [
      .settingsChanged, .settingsChanged, .storefrontChanged, .entitlementsRevoked, .paymentDecided,
      .transactionsWaiting,
    ]
    #expect(again.changes.map(\.kind) == kinds, "the change of the settings, and one of each kind")
    #expect(again.changes.allSatisfy { $0.productIDs.isEmpty })
    let next = try await store.changes(after: again.cursor, waitSeconds: 0, for: "phone")
    #expect(next == DeviceChanges(changes: [], cursor: again.cursor))
    try await store.beginPromotedPurchase(of: TeaShop.teapot, on: "phone")
    let promoted = try await store.changes(after: again.cursor, waitSeconds: 0, for: "phone")
    #expect(promoted.changes.flatMap(\.productIDs) == [TeaShop.teapot])
    // A device that was not notified meanwhile continues at its own cursor.
    let own = try await store.changes(after: before, waitSeconds: 0, for: "phone")
    #expect(own.changes.last?.productIDs == [TeaShop.teapot])
    // A cursor of no store, beyond all changes.
    let beyond = try await store.changes(after: ChangeCursor(rawValue: .max), waitSeconds: 0, for: "phone")
    #expect(beyond.changes.count == 5)
    try store.close()
  }

  @Test("a restart repeats no change to a device that has received them all")
  func ordinaryRestart() async throws {
    defer { scratch.remove() }
    var store = try await open()
    let start = try await register(at: store).changeCursor
    #expect(try await store.changes(after: start, waitSeconds: 0, for: "phone").changes.isEmpty)
    try await store.beginPromotedPurchase(of: TeaShop.oolong, on: "phone")
    let cursor = try await store.changes(after: start, waitSeconds: 0, for: "phone").cursor
    for _ in 1...2 {
      try store.close()
      store = try await open()
      #expect(try await register(at: store).changeCursor == start)
      let next = try await store.changes(after: cursor, waitSeconds: 0, for: "phone")
      #expect(next == DeviceChanges(changes: [], cursor: cursor))
    }
    try store.close()
  }
}
