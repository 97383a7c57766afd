import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The app receipt of an installation", .timeLimit(.minutes(30)))
struct AppReceiptTests {
  private func receipt(_ batch: DeliveryBatch, _ shop: TeaShop, _ phone: Phone) async throws -> AppReceipt {
    let data = try #require(batch.receipt)
    let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)
    return try await verifier.verifyAppReceipt(
      data, expecting: Expectation(bundleID: TeaShop.app, device: .vendorIdentifier(phone.vendorID))
    ).value
  }

  @Test("G1 is signed by the store's root for this app and this device, and lists the purchase")
  func contents() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(version: "3.1")
    let receipt = try await receipt(try await shop.buy(quantity: 3, on: phone), shop, phone)
    #expect(receipt.receiptType == "ProductionSandbox")
    #expect(receipt.applicationVersion == "3.1")
    #expect(receipt.originalApplicationVersion == "1.0")
    #expect(receipt.originalPurchaseDate == StoreDate(millisecondsSince1970: 1_375_340_400_000))
    #expect(receipt.creationDate == TeaShop.opening.wholeSeconds)
    #expect(receipt.appItemID == 0)
    #expect(receipt.downloadID == 0)
    #expect(receipt.versionExternalIdentifier == 0)
    #expect(receipt.opaqueValue.count == 16)
    #expect(receipt.expirationDate == nil)
    #expect(receipt.requestDate == nil && receipt.ageRating == "4+" && receipt.developerID == 0)
    #expect(receipt.inAppPurchases.first?.itemID == 0)
    let purchase = try #require(receipt.inAppPurchases.first)
    #expect(receipt.inAppPurchases.count == 1)
    #expect(purchase.quantity == 3)
    #expect(purchase.productID == TeaShop.oolong)
    #expect(purchase.productType == .consumable)
  }

  @Test("G1 a production receipt carries the app's number and when and in which version it was first installed")
  func production() async throws {
    let shop = try await TeaShop()
    try await shop.store.serve(
      TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog(), appAppleID: "1234567890")])
    let phone = try await shop.phone(in: .production, version: "3.1")
    shop.clock.advance(seconds: 86_400)
    let receipt = try await receipt(try await shop.store.unfinished(for: phone.id), shop, phone)
    #expect(receipt.receiptType == "Production")
    #expect(receipt.appItemID == 1_234_567_890)
    #expect(receipt.originalPurchaseDate == TeaShop.opening.wholeSeconds)
    #expect(receipt.originalApplicationVersion == "3.1")
    #expect(receipt.creationDate == TeaShop.opening.adding(seconds: 86_400).wholeSeconds)
  }

  @Test(
    "G1 it has the attributes without a documented meaning, as in the App Store's receipts; only attribute 4 has version 2",
    arguments: [StoreEnvironment.sandbox, .production])
  func undocumented(environment: StoreEnvironment) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: environment)
    let receipt = try await receipt(try await shop.buy(on: phone), shop, phone)
    #expect((receipt.requestDate == receipt.creationDate) == (environment == .production))
    let values = Dictionary(uniqueKeysWithValues: receipt.unknownAttributes.map { ($0.type, $0.value) })
    #expect(values == [13: [2, 3, 0x04, 0x1E, 0xB0], 20: [0x0C, 0], 25: [2, 1, 3]])
    #expect(receipt.unknownAttributes.allSatisfy { $0.version == 1 })
    let purchase = try #require(receipt.inAppPurchases.first)
    #expect(purchase.unknownAttributes.map(\.type) == [1709, 1714, 1715, 1716, 1717, 1718, 1722])
    #expect(purchase.unknownAttributes.dropLast().allSatisfy { $0.value == [0x0C, 0] && $0.version == 1 })
    #expect(purchase.unknownAttributes.last?.value == [2, 1, 0])
    // Attribute 8 is there in both: an empty text in the sandbox.
    let payload = receipt.payloadBytes()
    let empty: [UInt8] = [0x30, 0x0A, 2, 1, 8, 2, 1, 1, 4, 2, 0x16, 0]
    #expect((payload.firstRange(of: empty) != nil) == (environment == .sandbox))
    let opaque: [UInt8] = [2, 1, 4, 2, 1, 2, 4, 16]
    #expect(payload.firstRange(of: opaque) != nil)
  }

  @Test("G1 after an update of the app the receipt says the new version, and keeps the first one as the original")
  func update() async throws {
    let shop = try await TeaShop()
    let old = try await shop.phone(in: .production, version: "3.1")
    _ = try await shop.store.unfinished(for: old.id)
    let phone = try await shop.phone(in: .production, version: "4.0")
    let receipt = try await receipt(try await shop.store.unfinished(for: phone.id), shop, phone)
    #expect(receipt.applicationVersion == "4.0")
    #expect(receipt.originalApplicationVersion == "3.1")
  }

  @Test("G6 it is not accepted for another device, nor by a verifier with another store's root")
  func foreignDevice() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    let data = try #require(try await shop.buy(on: phone).receipt)
    let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)
    await #expect(throws: VerificationFailure.self) {
      try await verifier.verifyAppReceipt(data, expecting: Expectation(device: .vendorIdentifier(tablet.vendorID)))
    }
    let other = SignedDataVerifier(anchors: try IssuingAuthority().anchors)
    await #expect(throws: VerificationFailure.self) { try await other.verifyAppReceipt(data) }
  }

  @Test("B4 a consumable is listed from purchase until it is finished, and gone from the next receipt")
  func consumableLeaves() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    let one = try await shop.newestTransaction().record.transactionID
    let both = try await receipt(try await shop.buy(as: "two", on: phone), shop, phone)
    let two = try await shop.newestTransaction().record.transactionID
    #expect(Set(both.inAppPurchases.map(\.transactionID)) == [one, two])
    try await shop.store.finish(one, for: phone.id)
    let after = try await receipt(try await shop.store.unfinished(for: phone.id), shop, phone)
    #expect(after.inAppPurchases.map(\.transactionID) == [two])
    try await shop.store.finish(two, for: phone.id)
    let empty = try await receipt(try await shop.store.unfinished(for: phone.id), shop, phone)
    #expect(empty.inAppPurchases.isEmpty, "an empty list is a receipt still")
  }

  @Test("a consumable is not listed on another device of the account, whose receipt is its own")
  func anotherDevice() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    try await shop.buy(on: phone)
    let receipt = try await receipt(try await shop.store.unfinished(for: tablet.id), shop, tablet)
    #expect(receipt.inAppPurchases.isEmpty)
  }

  @Test("there is no receipt in the sandbox before the first purchase, and there is one in production")
  func beforeFirstPurchase() async throws {
    let shop = try await TeaShop()
    let sandboxed = try await shop.phone()
    let live = try await shop.phone("live", in: .production)
    #expect(try await shop.store.unfinished(for: sandboxed.id).receipt == nil)
    #expect(try await shop.store.unfinished(for: live.id).receipt != nil)
    let signedOut = try await shop.phone("signed out", signedInAs: nil)
    #expect(try await shop.store.unfinished(for: signedOut.id).receipt == nil)
    // A purchase in production adds no receipt in the sandbox.
    try await shop.buy(on: live)
    #expect(try await shop.store.unfinished(for: sandboxed.id).receipt == nil)
  }

  @Test("receipts of one installation share their opaque value, those of two do not")
  func opaqueValue() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    let first = try await receipt(try await shop.buy(as: "one", on: phone), shop, phone)
    let second = try await receipt(try await shop.buy(as: "two", on: phone), shop, phone)
    let third = try await receipt(try await shop.buy(as: "one", on: tablet), shop, tablet)
    #expect(first.opaqueValue == second.opaqueValue)
    #expect(first.opaqueValue != third.opaqueValue)
  }
}
