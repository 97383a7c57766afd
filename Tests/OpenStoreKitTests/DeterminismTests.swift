import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("The same seed, script and key directory")
struct DeterminismTests {
  /// Everything a run leaves behind, without the ECDSA signatures, which are random by nature.
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
    #expect(first.journal.count == 3)
    let other = try await run(seed: 43, keys: keys.url)
    #expect(Set(other.transactionIDs).isDisjoint(with: first.transactionIDs))
  }

  private func run(seed: UInt64, keys: URL) async throws -> Trace {
    let (storeFolder, phone) = (TemporaryFolder(), TemporaryFolder())
    let clock = ManualClock(StoreDate(millisecondsSince1970: 1_790_000_000_000))
    let store = try EmulatedAppStore(
      .init(directory: storeFolder.url, keyDirectory: keys, wallClock: clock, seed: seed))
    try await store.serve(TestStore.bundleID, catalog: [try TestStore.catalog()])
    let uuids = SeededUUIDs(seed: seed)
    let device = try StoreKitDevice(
      connection: store, bundleID: TestStore.bundleID, storage: .directory(phone.url),
      makeUUID: { uuids.next() }, report: { _ in })
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    var trace = Trace()
    for (product, quantity) in [(TestStore.five, 1), (TestStore.ten, 4), (TestStore.five, 2)] {
      clock.advance(seconds: 60)
      device.paymentQueue.add(.of(product, quantity: quantity))
      let paid = try await observer.next(.purchased)
      trace.transactionIDs.append(paid.transactionIdentifier ?? "")
    }
    trace.receipt = try Data(contentsOf: device.receiptURL)
    trace.receiptPayload = try UnverifiedAppReceipt(trace.receipt).payload
    try await device.close()
    try store.close()
    let journal = try PaymentJournal(
      at: phone.url.appending(path: "payment-queue.sqlite"), deviceID: nil, makeUUID: UUID.init)
    for entry in try journal.entries() {
      guard case .purchased(let purchase) = entry.state else { continue }
      trace.payloads.append(try UnverifiedJWS(purchase.signedTransaction).contents.payload)
      trace.journal.append("\(entry.sequence) \(entry.payment) \(purchase.transactionID) \(purchase.purchaseDate)")
    }
    return trace
  }
}

/// UUIDs that follow from a seed.
private final class SeededUUIDs: @unchecked Sendable {
  private let lock = NSLock()
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  func next() -> UUID { lock.withLock { UUID.version4(from: &generator) } }
}
