import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The same seed, script, clock and keys", .timeLimit(.minutes(30)))
struct DeterminismTests {
  /// The outputs of a run that must be the same each time.
  private struct Trace: Equatable {
    var epoch: StoreEpoch
    var app: StoreApp
    var quotes: [PaymentQuote] = []
    var transactions: [StoredTransaction] = []
    var payloads: [[UInt8]] = []
    var receipts: [[UInt8]] = []
    var legacyReceipts: [[LegacyReceipt.Field]] = []
    var answers: [Data] = []
    var books: [String: [String]] = [:]
  }

  private func play(seed: UInt64, in directory: URL, keys: URL) async throws -> Trace {
    let shop = try await TeaShop(seed: seed, directory: directory, keyDirectory: keys)
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet", in: .production)
    var trace = Trace(epoch: shop.store.epoch, app: try await shop.store.app(TeaShop.app))
    func keep(_ batch: DeliveryBatch, _ environment: StoreEnvironment) async throws {
      for delivery in batch.deliveries {
        trace.payloads.append(try UnverifiedJWS(delivery.signedTransaction).contents.payload)
        let legacy = try #require(delivery.transactionReceipt)
        trace.legacyReceipts.append(try UnverifiedLegacyReceipt(legacy).receipt.fields)
        trace.answers.append(try await VerifyReceiptAnswer.body(shop, legacy, at: environment))
      }
      let receipt = try #require(batch.receipt)
      trace.receipts.append(try UnverifiedAppReceipt(receipt).payload)
      trace.answers.append(try await VerifyReceiptAnswer.body(shop, receipt, at: environment))
    }
    for (number, product) in [TeaShop.oolong, TeaShop.sencha, TeaShop.oolong].enumerated() {
      let quote = try await shop.quote(product, quantity: number + 1, as: PaymentID("payment \(number)"), on: phone)
      trace.quotes.append(quote)
      shop.clock.advance(seconds: 3)
      try await keep(try await shop.store.confirm(quote, for: phone.id).purchase(), .sandbox)
    }
    try await keep(try await shop.buy(username: "0B0E1F9E-0000-4000-8000-000000000001", on: tablet), .production)
    _ = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try await shop.store.finish(
      try #require(try await shop.store.transactions().last).record.transactionID, for: phone.id)
    try await keep(try await shop.store.unfinished(for: phone.id), .sandbox)
    trace.transactions = try await shop.store.transactions()
    trace.books = try await shop.records()
    try shop.store.close()
    return trace
  }

  @Test("give the same ids, quotes, payload bytes, answers and records, in two directories")
  func sameSeed() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let keys = folder.url.appending(path: "keys")
    let first = try await play(seed: 11, in: folder.url.appending(path: "a"), keys: keys)
    let second = try await play(seed: 11, in: folder.url.appending(path: "b"), keys: keys)
    #expect(first.payloads.count == 7)
    #expect(first.receipts.count == 5)
    #expect(first == second)
  }

  @Test("give the same without sharing the keys: nothing in a payload follows from them")
  func otherKeys() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let first = try await play(seed: 11, in: folder.url.appending(path: "a"), keys: folder.url.appending(path: "k1"))
    let second = try await play(seed: 11, in: folder.url.appending(path: "b"), keys: folder.url.appending(path: "k2"))
    #expect(first == second)
  }

  @Test("another seed gives another epoch and other ids, and without a seed every store has its own")
  func otherSeed() async throws {
    let epochs = try await [
      TeaShop(seed: 11).store.epoch, TeaShop(seed: 12).store.epoch, EmulatedAppStore(.inMemory()).epoch,
      EmulatedAppStore(.inMemory()).epoch,
    ]
    #expect(Set(epochs).count == 4)
    #expect(epochs.allSatisfy { epoch in epoch.rawValue.count == 10 && epoch.rawValue.allSatisfy { $0.isNumber } })
    let apps = try await [TeaShop(seed: 11).store.app(TeaShop.app), TeaShop(seed: 12).store.app(TeaShop.app)]
    #expect(apps[0].sharedSecret != apps[1].sharedSecret)
    #expect(apps[0].issuerID != apps[1].issuerID)
    #expect(apps[0].appAppleID != apps[1].appAppleID)
  }

  @Test("generated identifiers keep their parts apart and do not depend on the order of requests")
  func identities() {
    let identity = InventedIdentity(seed: 1)
    #expect(identity.bytes("x", "ab", "c", count: 16) != identity.bytes("x", "a", "bc", count: 16))
    #expect(identity.bytes("x", "ab", count: 16) != identity.bytes("xab", count: 16))
    #expect(identity.uuid("x", "y") == InventedIdentity(seed: 1).uuid("x", "y"))
    #expect(identity.uuid("x", "y") != InventedIdentity(seed: -1).uuid("x", "y"))
    for part in 0..<200 { #expect((10..<20).contains(identity.number("n", "\(part)", in: 10..<20))) }
  }
}
