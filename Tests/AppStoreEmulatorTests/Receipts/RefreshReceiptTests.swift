import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Refreshing the receipt", .timeLimit(.minutes(30)))
struct RefreshReceiptTests {
  private func verified(_ receipt: Data, on phone: Phone, of shop: TeaShop) async throws -> AppReceipt {
    var expectation = Expectation(bundleID: TeaShop.app, environments: [.sandbox])
    expectation.device = .vendorIdentifier(phone.vendorID)
    return try await SignedDataVerifier(anchors: try shop.store.authority.anchors)
      .verifyAppReceipt(receipt, expecting: expectation).value
  }

  @Test("gives a receipt for this very device, also where nothing was bought yet")
  func beforeFirstPurchase() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    #expect(try await shop.store.unfinished(for: phone.id).receipt == nil)
    let receipt = try await verified(try await shop.store.refreshReceipt(for: phone.id), on: phone, of: shop)
    #expect(receipt.inAppPurchases.isEmpty)
    #expect(receipt.creationDate == TeaShop.opening.wholeSeconds || receipt.creationDate == TeaShop.opening)
  }

  @Test("lists what is unfinished, and no longer what was finished meanwhile")
  func contents() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    try await shop.store.finish(try await shop.newestTransaction().record.transactionID, for: phone.id)
    try await shop.buy(TeaShop.sencha, as: "two", on: phone)
    let receipt = try await verified(try await shop.store.refreshReceipt(for: phone.id), on: phone, of: shop)
    #expect(receipt.inAppPurchases.map(\.productID) == [TeaShop.sencha])
  }

  @Test("an unknown installation is asked to register")
  func unknown() async throws {
    let shop = try await TeaShop()
    #expect(try await refusal { _ = try await shop.store.refreshReceipt(for: "stranger") } == .unknownInstallation)
  }
}
