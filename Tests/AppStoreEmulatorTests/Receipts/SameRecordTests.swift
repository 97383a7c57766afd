import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Every API shows the same record", .timeLimit(.minutes(30)))
struct SameRecordTests {
  private let token = "6f6a3a1c-7b7b-4f3e-9e33-0a1b2c3d4e5f"

  @Test(
    "H1 receipt, signed transaction, verifyReceipt and stored record say the same",
    arguments: [StoreEnvironment.sandbox, .production])
  func sameRecord(environment: StoreEnvironment) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: environment)
    let batch = try await shop.buy(TeaShop.sencha, quantity: 4, username: token, on: phone)
    let record = try await shop.newestTransaction().record
    let verifier = SignedDataVerifier(anchors: try shop.store.authority.anchors)

    // The JWS has only the record, a signing date and the device proof.
    let delivery = try #require(batch.deliveries.first)
    let signed = try await verifier.verifyTransaction(
      delivery.signedTransaction,
      expecting: Expectation(bundleID: TeaShop.app, environments: [environment], device: phone.device)
    ).value
    #expect(
      signed
        == SignedTransaction(
          record: record, signedDate: signed.signedDate, deviceVerification: signed.deviceVerification,
          deviceVerificationNonce: signed.deviceVerificationNonce))
    #expect(signed.signedDate == TeaShop.opening)
    #expect(signed.quantity == 4)
    #expect(signed.price == Milliunits(3000))
    #expect(signed.currency == "USD")
    #expect(signed.appAccountToken == UUID(uuidString: token))

    let data = try #require(batch.receipt)
    let receipt = try await verifier.verifyAppReceipt(data).value
    let listed = try #require(receipt.inAppPurchases.first)
    #expect(listed == AppReceipt.InAppPurchase(record: record), "nothing is lost on the way through the encoding")

    let answer = try await VerifyReceiptAnswer(shop, data, at: environment)
    #expect(answer.status == 0)
    let inApp = try #require(answer.inApp.first)
    #expect(inApp["transaction_id"] == record.transactionID.rawValue)
    #expect(inApp["original_transaction_id"] == record.originalTransactionID.rawValue)
    #expect(inApp["product_id"] == record.productID.rawValue)
    #expect(inApp["quantity"] == "4")
    #expect(inApp["purchase_date_ms"] == String(record.purchaseDate.millisecondsSince1970))
    #expect(inApp["purchase_date_ms"] == String(listed.purchaseDate.millisecondsSince1970))
    #expect(inApp["purchase_date_ms"] == String(signed.purchaseDate.millisecondsSince1970))
    #expect(inApp["in_app_ownership_type"] == signed.rawOwnership)
  }

  @Test("H1 the list of unfinished transactions shows what the confirmation showed, signed later")
  func unfinishedIsTheSame() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let bought = try #require(try await shop.buy(on: phone).deliveries.first)
    let listed = try #require(try await shop.store.unfinished(for: phone.id).deliveries.first)
    var first = try UnverifiedJWS(bought.signedTransaction).transaction()
    let second = try UnverifiedJWS(listed.signedTransaction).transaction()
    #expect(first.signedDate < second.signedDate)
    #expect(first.deviceVerificationNonce != second.deviceVerificationNonce)
    first.signedDate = second.signedDate
    (first.deviceVerification, first.deviceVerificationNonce) = (
      second.deviceVerification, second.deviceVerificationNonce
    )
    #expect(first == second)
  }

  @Test("one customer has one appTransactionId for an app on all devices, and another one elsewhere")
  func appTransactionID() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    var ids: [String] = []
    for phone in [
      try await shop.phone(), try await shop.phone("tablet"), try await shop.phone("bob's", signedInAs: "bob"),
      try await shop.phone("live", in: .production),
    ] {
      try await shop.buy(on: phone)
      ids.append(try await shop.newestTransaction().record.appTransactionID)
    }
    #expect(ids[0] == ids[1])
    #expect(Set(ids).count == 3)
  }
}
