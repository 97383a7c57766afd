import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Receipts verified by their signature alone", .timeLimit(.minutes(30)))
struct OfflineReceiptTests {
  @Test("G6 an app receipt of the store: its purchases, its creation date, its device")
  func appReceipt() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    _ = try await shop.buy(TeaStore.teapot, on: phone)
    shop.clock.advance(seconds: 100)
    let bought = try await shop.buy(quantity: 3, as: "payment 2", on: phone)
    let proof = PurchaseProof.appReceipt(bought.appReceipt)
    let verified = try await shop.verifier(.offline).verify(proof, for: TeaStore.app)
    let receipt = try UnverifiedAppReceipt(bought.appReceipt).receipt
    #expect(verified.proof == proof)
    #expect(verified.app == TeaStore.app)
    #expect(verified.environment == .sandbox)
    #expect(verified.statedDate == receipt.creationDate)
    #expect(verified.statedDate >= TeaStore.opening.adding(seconds: 99))
    #expect(verified.purchases.map(\.transactionID) == receipt.inAppPurchases.map(\.transactionID))
    let oolong = try #require(verified.purchases.first { $0.transactionID == bought.id })
    #expect(oolong.productID == TeaStore.oolong)
    #expect(oolong.type == .consumable)
    #expect(oolong.quantity == 3)
    #expect(oolong.revocation == nil)
    #expect(verified.purchases.first { $0.productID == TeaStore.teapot }?.type == .nonConsumable)
    #expect(verified.isIssued(phone.device))
    #expect(!verified.isIssued(.vendorIdentifier(UUID())))
    #expect(!verified.isIssued(.macAddress([0, 1, 2, 3, 4, 5])))
  }

  @Test("G6 a legacy receipt of the store: its one purchase, dated by the purchase")
  func legacyReceipt() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    let bought = try await shop.buy(quantity: 2, on: phone)
    let verified = try await shop.verifier(.offline).verify(.legacyReceipt(bought.legacyReceipt), for: TeaStore.app)
    #expect(verified.purchases.map(\.transactionID) == [bought.id])
    #expect(verified.purchases.map(\.quantity) == [2])
    #expect(verified.purchases.map(\.type) == [nil])
    #expect(verified.statedDate == verified.purchases[0].purchaseDate)
    #expect(verified.environment == .sandbox)
    #expect(verified.isIssued(phone.device))
    #expect(!verified.isIssued(.vendorIdentifier(UUID())))
  }

  @Test("G6 a refund in the receipt is a revocation without a percentage")
  func refunded() async throws {
    let shop = try await TeaStore()
    let phone = try await shop.phone()
    let bought = try await shop.buy(TeaStore.teapot, on: phone)
    shop.clock.advance(seconds: 60)
    let stored = try await shop.store.refund(bought.id, percentage: 50_000)
    shop.clock.advance(seconds: 60)
    let receipt = try await shop.store.refreshReceipt(for: phone.id)
    let verified = try await shop.verifier(.offline).verify(.appReceipt(receipt), for: TeaStore.app)
    let date = try #require(stored.record.revocationDate)
    #expect(verified.purchases.map(\.revocation) == [.init(date: date, reason: nil, percentage: nil)])
  }

  @Test("an expired receipt (volume purchases) still proves its purchases", arguments: [-1, 1])
  func expired(days: Int64) async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    var contents = try UnverifiedAppReceipt(bought.appReceipt).receipt
    contents.receiptType = "ProductionVPP"
    contents.expirationDate = contents.creationDate.adding(seconds: days * 86_400)
    let signed = try shop.store.authority.signAppReceipt(contents, at: contents.creationDate)
    let verified = try await shop.verifier(.offline).verify(.appReceipt(signed), for: TeaStore.app)
    #expect(verified.environment == .production)
    #expect(verified.purchases.map(\.transactionID) == [bought.id])
  }

  @Test("a purchase with quantity zero proves nothing")
  func quantity() async throws {
    let shop = try await TeaStore()
    let bought = try await shop.buy(on: try await shop.phone())
    var contents = try UnverifiedAppReceipt(bought.appReceipt).receipt
    for (quantity, name) in [(0, "unreadable"), (1 << 31, "unreadable"), (Int(Int32.max), "verified")] {
      contents.inAppPurchases[0].quantity = quantity
      let signed = try shop.store.authority.signAppReceipt(contents, at: contents.creationDate)
      let refusal = await (try shop.verifier(.offline)).refusal(.appReceipt(signed))
      #expect(refusal?.name ?? "verified" == name)
    }
  }

  @Test("G6 altered, foreign, another app's, from an environment that is not accepted: each has its own refusal")
  func refusals() async throws {
    let shop = try await TeaStore()
    let keys = FileManager.default.temporaryDirectory.appending(path: "tea-store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: keys) }
    let other = try await TeaStore(keyDirectory: keys)
    let bought = try await shop.buy(on: try await shop.phone())
    let foreign = try await other.buy(on: try await other.phone())
    let coffee = try await shop.buy(
      as: "payment 2", on: try await shop.phone("coffee phone", app: TeaStore.otherApp))
    let verifier = try shop.verifier(.offline)
    let altered = String(decoding: bought.legacyReceipt, as: UTF8.self)
    let info = try #require(altered.firstMatch(of: /"purchase-info" = "([^"]+)"/)).output.1
    let signed = String(decoding: try #require(Data(base64Encoded: String(info))), as: UTF8.self)
      .replacing("\"quantity\" = \"1\"", with: "\"quantity\" = \"9\"")
    for (proof, name) in [
      (.appReceipt(bought.appReceipt.withLastByteFlipped), "forged"), (.appReceipt(foreign.appReceipt), "forged"),
      (.appReceipt(coffee.appReceipt), "wrongApp"), (.legacyReceipt(coffee.legacyReceipt), "wrongApp"),
      (.legacyReceipt(foreign.legacyReceipt), "forged"),
      (.legacyReceipt(Data(altered.replacing(info, with: Data(signed.utf8).base64EncodedString()).utf8)), "forged"),
      (.appReceipt(bought.appReceipt.dropLast(9)), "unreadable"),
      (.appReceipt(bought.legacyReceipt), "unreadable"), (.legacyReceipt(bought.appReceipt), "unreadable"),
    ] as [(PurchaseProof, String)] {
      #expect(await verifier.refusal(proof)?.name == name)
    }
    let strict = try shop.verifier(.offline, environments: [.production])
    for proof in [PurchaseProof.appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt)] {
      #expect(await strict.refusal(proof)?.name == "wrongEnvironment")
    }
    let suspicious = try shop.verifier(.offline, anchors: .apple)
    for proof in [PurchaseProof.appReceipt(bought.appReceipt), .legacyReceipt(bought.legacyReceipt)] {
      #expect(await suspicious.refusal(proof)?.name == "forged")
    }
  }
}
