import AppStoreEmulator
import Foundation
import GRDB
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("The same seed, script and key directory", .timeLimit(.minutes(30)))
struct DeterminismTests {
  /// The results of a run, without the ECDSA signatures, which are random.
  private struct Trace: Equatable {
    var transactionIDs: [String] = []
    var payloads: [[UInt8]] = []
    var receiptPayload: [UInt8] = []
    var receipt = Data()
    var journal: [String] = []
  }

  @Test("give the same ids, payload bytes, receipts and journals")
  func twice() async throws {
    let keys = TemporaryFolder()
    let first = try await run(seed: 42, keys: keys.url)
    let second = try await run(seed: 42, keys: keys.url)
    #expect(first == second)
    #expect(first.transactionIDs.count == 3)
    #expect(first.payloads.count == 3)
    // The rows of the installation, of three purchases, and of a confirmed payment whose answer was lost.
    #expect(first.journal.count == 5)
    let other = try await run(seed: 43, keys: keys.url)
    #expect(Set(other.transactionIDs).isDisjoint(with: first.transactionIDs))
  }

  private func run(seed: UInt64, keys: URL) async throws -> Trace {
    let (storeFolder, phone) = (TemporaryFolder(), TemporaryFolder())
    let clock = ManualClock(StoreDate(millisecondsSince1970: 1_790_000_000_000))
    let store = try EmulatedAppStore(
      .init(directory: storeFolder.url, keyDirectory: keys, wallClock: clock, seed: seed))
    try await store.serve(TestStore.bundleID, catalog: [TestStore.catalog()])
    let uuids = SeededUUIDs(seed: seed)
    let (connection, retry) = (ScriptedConnection(store), ManualRetry())
    let device = try StoreKitDevice(
      connection: connection, bundleID: TestStore.bundleID, storage: .directory(phone.url), retry: retry,
      clock: clock, makeUUID: { uuids.next() }, report: { _ in })
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    var trace = Trace()
    for (product, quantity) in [(TestStore.five, 1), (TestStore.ten, 4), (TestStore.five, 2)] {
      clock.advance(seconds: 60)
      device.paymentQueue.add(.of(product, quantity: quantity))
      let paid = try await observer.next(.purchased)
      trace.transactionIDs.append(paid.transactionIdentifier ?? "")
    }
    connection.loseAnswer(to: .confirm)
    device.paymentQueue.add(.of(TestStore.ten, quantity: 3))
    #expect(await retry.nextWait() == 1)
    trace.receipt = try Data(contentsOf: device.receiptURL)
    trace.receiptPayload = try UnverifiedAppReceipt(trace.receipt).payload
    try await device.close()
    try store.close()
    // Every column of every row. The signatures of signed transactions are removed.
    let journal = try DatabaseQueue(path: phone.url.appending(path: "payment-queue.sqlite").path)
    let rows = try await journal.read { database in
      try ["installation", "queueEntry"].flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { row in
          row.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
        }
      }
    }
    try journal.close()
    trace.journal = rows.map {
      $0.replacing(/(eyJ[\w-]+\.[\w-]+)\.[\w-]+/) { String($0.output.1) }
    }
    for case .purchased(let purchase) in try entries(of: phone).map(\.state) {
      trace.payloads.append(try UnverifiedJWS(purchase.signedTransaction).contents.payload)
    }
    return trace
  }

  private func entries(of phone: TemporaryFolder) throws -> [QueueEntry] {
    let journal = try PaymentJournal(
      at: phone.url.appending(path: "payment-queue.sqlite"), bundleID: TestStore.bundleID, environment: .sandbox,
      deviceID: nil, makeUUID: UUID.init)
    return try journal.entries().readable
  }
}

/// UUIDs that are derived from a seed.
private final class SeededUUIDs: Sendable {
  private let generator: LockedValue<SeededGenerator>

  init(seed: UInt64) { generator = LockedValue(SeededGenerator(seed: seed)) }

  func next() -> UUID { generator.withLock { UUID.version4(from: &$0) } }
}
