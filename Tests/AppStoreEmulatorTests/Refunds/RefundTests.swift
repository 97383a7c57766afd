import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A refund", .timeLimit(.minutes(30)))
struct RefundTests {
  private func bought(
    _ product: ProductID = TeaShop.teapot, in shop: TeaShop, on phone: Phone
  ) async throws -> TransactionID {
    try #require(try await shop.buy(product, on: phone).deliveries.first).signed.transactionID
  }

  @Test("D1 H1 is shown at every endpoint, and is a ledger row beside the charge, which stays")
  func everyEndpoint() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try await bought(in: shop, on: phone)
    let charges = try await shop.store.charges()
    shop.clock.advance(seconds: 60)
    let record = try await shop.store.refund(id, reason: .issueWithApp).record
    #expect(record.revocationDate?.description == "2026-07-01T12:01:00.000Z")
    #expect(record.revocationReason == .issueWithApp)
    #expect(record.revocationType == .fullRefund)
    #expect(record.revocationPercentage == 100_000)
    #expect(try await shop.store.refunds().map(\.amount) == [Milliunits(24_000)])
    #expect(try await shop.store.charges() == charges)
    #expect(try await shop.appReceipt(on: phone).inAppPurchases.map(\.cancellationDate) == [record.revocationDate])
    let answer = try await VerifyReceiptAnswer(shop, try await shop.store.refreshReceipt(for: phone.id))
    #expect(answer.inApp.first?["cancellation_reason"] == "1")
  }

  @Test("D1 after it, buying is charged again, as an original of its own")
  func chargedAgain() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let first = try await bought(in: shop, on: phone)
    try await shop.store.refund(first)
    let second = try #require(try await shop.buy(TeaShop.teapot, as: "2", on: phone).deliveries.first)
    #expect(second.redelivery == nil)
    #expect(try second.signed.originalTransactionID == (try second.signed.transactionID))
    #expect(try await shop.store.charges().count == 2)
    #expect(
      try await shop.restored(on: try await shop.phone("tablet")).map { try $0.signed.transactionID }
        == [try second.signed.transactionID])
  }

  @Test("B4 a consumable of which a part was refunded is delivered until it is finished; one refunded whole is not")
  func partlyRefundedConsumable() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let quote = try await shop.quote(quantity: 3, on: phone)
    let bought = try #require(try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.first)
    let id = try bought.signed.transactionID
    try await shop.store.refund(id, percentage: 50_000)
    let unfinished = try await shop.store.unfinished(for: phone.id).deliveries
    #expect(try unfinished.map { try $0.signed.revocationPercentage } == [50_000])
    let again = try await shop.store.confirm(quote, for: phone.id).purchase().deliveries
    #expect(try again.map { try $0.signed.transactionID } == [id])
    try await shop.store.finish(id, for: phone.id)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)

    let whole = try #require(try await shop.buy(as: "2", on: phone).deliveries.first)
    try await shop.store.refund(try whole.signed.transactionID)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
  }

  @Test("B4 so is one that was bought outside the app, and one that the app before the reinstall left unfinished")
  func partlyRefundedElsewhere() async throws {
    let shop = try await TeaShop.lasting()
    let outside = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try await shop.store.refund(outside.record.transactionID, percentage: 50_000)
    let phone = try await shop.phone()
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
    let reinstalled = try await shop.phone(installation: 2)
    #expect(
      try await shop.store.unfinished(for: reinstalled.id).deliveries.map { try $0.signed.transactionID }
        == [outside.record.transactionID])
  }

  @Test("D1 every device of the account hears that it is lost, in the app it is of, also one that was closed")
  func received() async throws {
    let shop = try await TeaShop.lasting()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    let stranger = try await shop.phone("signed out", signedInAs: nil)
    let id = try await bought(in: shop, on: phone)
    try await shop.store.refund(id)
    for (device, count) in [(phone, 1), (tablet, 1), (stranger, 0)] {
      let changes = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: device.id)
        .changes
      let revoked = changes.filter { $0.kind == .entitlementsRevoked }
      #expect(revoked.map(\.productIDs) == Array(repeating: [TeaShop.teapot], count: count))
    }
  }

  @Test("D1 of a consumable revokes nothing on a device, and sends no notification")
  func consumable() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try await bought(TeaShop.oolong, in: shop, on: phone)
    try await shop.store.refund(id)
    let changes = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
    #expect(changes.allSatisfy { $0.kind != .entitlementsRevoked })
  }

  @Test("G6 B9 what was refunded while it was unfinished is delivered no more, and its payment ends as refused")
  func unfinished() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let quote = try await shop.quote(TeaShop.teapot, on: phone)
    let id = try #require(try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.first)
      .signed.transactionID
    try await shop.store.refund(id)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
    let refusal = await #expect(throws: StoreRefusal.self) { _ = try await shop.store.confirm(quote, for: phone.id) }
    #expect(refusal?.code == .purchaseRevoked)
    #expect(refusal?.endsPayment == true)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test(
    "A refund of a part gives back that part, rounded down to the currency's smallest unit",
    arguments: [(33_333, 7_990), (1, 0), (100_000, 24_000)])
  func partial(percentage: Int, amount: Int64) async throws {
    let shop = try await TeaShop.lasting()
    let id = try await bought(in: shop, on: try await shop.phone())
    let record = try await shop.store.refund(id, percentage: percentage).record
    #expect(record.revocationPercentage == percentage)
    #expect(record.revocationType == (percentage == 100_000 ? .fullRefund : .proratedRefund))
    #expect(try await shop.store.refunds().map(\.amount.rawValue) == (amount > 0 ? [amount] : []))
  }

  @Test("D1 a reversed refund leaves the purchase as before, and charges and refunds add up")
  func reversed() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try await bought(in: shop, on: phone)
    let before = try #require(try await shop.store.transactions().first)
    try await shop.store.refund(id)
    var reversed = try await shop.store.reverseRefund(of: id)
    #expect(reversed.record.revision > before.record.revision)
    reversed.record.revision = before.record.revision
    #expect(reversed == before)
    #expect(try await shop.store.refunds().map(\.amount.rawValue) == [-24_000, 24_000])
    #expect(try await shop.buy(TeaShop.teapot, as: "2", on: phone).deliveries.first?.redelivery != nil)
  }

  @Test(
    "D1 H1 a receipt made after a refund, or after it was taken back, is later than every one before, also within a second"
  )
  func receiptDates() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try await bought(in: shop, on: phone)
    var dates = [try await shop.appReceipt(on: phone).creationDate]
    for _ in 0..<3 {
      try await shop.store.refund(id)
      dates.append(try await shop.appReceipt(on: phone).creationDate)
      try await shop.store.reverseRefund(of: id)
      dates.append(try await shop.appReceipt(on: phone).creationDate)
    }
    #expect(Set(dates).count == dates.count)
    #expect(dates == dates.sorted())
    // Another request for the receipt does not change its creation date.
    #expect(try await shop.appReceipt(on: phone).creationDate == dates.last)
  }

  @Test("D1 many refunds and reversals do not date receipts ahead, and what is signed after a receipt is later than it")
  func signedOrder() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try await bought(in: shop, on: phone)
    for _ in 0..<30 {
      _ = try await shop.store.refund(id)
      _ = try await shop.store.reverseRefund(of: id)
    }
    var last = StoreDate(millisecondsSince1970: 0)
    for _ in 0..<3 {
      for isRefund in [true, false] {
        if isRefund { try await shop.store.refund(id) } else { try await shop.store.reverseRefund(of: id) }
        let receipt = try await shop.appReceipt(on: phone).creationDate
        #expect(receipt > last)
        let signed = try UnverifiedJWS(try await shop.store.proofs(of: id).signedTransaction).transaction().signedDate
        #expect(signed > receipt)
        last = signed
      }
      // Each change that is followed by a signature adds a second; the other changes add no time.
      #expect(last < TeaShop.opening.adding(seconds: 10))
    }
  }

  @Test("D1 an impossible refund or reversal is refused and changes nothing")
  func refusals() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob", family: "tea"))
    let phone = try await shop.phone(signedInAs: "ada")
    let id = try await bought(TeaShop.samovar, in: shop, on: phone)
    let share = try #require(try await shop.store.transactions(.init(account: "bob")).first).record.transactionID
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.refundOutOfRange(0)) { try await shop.store.refund(id, percentage: 0) }
    await #expect(throws: AppStoreEmulatorError.refundOutOfRange(100_001)) {
      try await shop.store.refund(id, percentage: 100_001)
    }
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.refund(share) }
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.reverseRefund(of: id) }
    let unknown = try #require(TransactionID(rawValue: "12"))
    await #expect(throws: AppStoreEmulatorError.unknownTransaction(unknown)) { try await shop.store.refund(unknown) }
    #expect(try await shop.records() == before)

    try await shop.store.refund(id)
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.refund(id) }
    try await shop.buy(TeaShop.samovar, as: "2", on: phone)
    let charged = try await shop.records()
    // After the reversal, the customer would have paid for the product twice.
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.reverseRefund(of: id) }
    #expect(try await shop.records() == charged)
  }
}
