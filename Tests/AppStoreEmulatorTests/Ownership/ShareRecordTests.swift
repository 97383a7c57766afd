import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests which values of a purchase its family shares have.
@Suite("The record of a family share", .timeLimit(.minutes(30)))
struct ShareRecordTests {
  private static let gold: ProductID = "gold"

  /// A purchase in which every value is set.
  private func everything() -> TransactionRecord {
    let date = StoreDate(millisecondsSince1970: 1_714_557_600_000)
    var record = TransactionRecord(
      environment: .sandbox, bundleID: TeaShop.app, transactionID: TransactionID(12),
      originalTransactionID: TransactionID(11), productID: "gold", type: .autoRenewableSubscription,
      purchaseDate: date, originalPurchaseDate: date.adding(seconds: -86_400), quantity: 2, price: Milliunits(49_990),
      currency: "EUR", storefrontCountryCode: "DEU", storefrontID: "143443", reason: .renewal,
      appTransactionID: "704000000000000001")
    record.webOrderLineItemID = "4000000099"
    record.itemID = 1_234_567_890
    record.subscriptionGroupID = "club"
    record.expiresDate = date.adding(seconds: 365 * 86_400)
    record.appAccountToken = UUID()
    record.applicationUsername = "ada"
    record.revocationDate = date
    record.revocationReason = .issueWithApp
    record.revocationType = .proratedRefund
    record.revocationPercentage = 12_500
    record.isUpgraded = true
    record.upgradeDate = date
    record.offerType = .promotional
    record.offerIdentifier = "spring"
    record.offerDiscountType = .payAsYouGo
    record.offerPeriod = CalendarPeriod(value: 3, unit: .month)
    record.billingPlanType = .monthly
    record.commitment = TransactionRecord.Commitment(
      billingPeriodNumber: 2, totalBillingPeriods: 12, expiresDate: date, price: Milliunits(599_880))
    record.previousOriginalTransactionID = TransactionID(9)
    record.revokedSeatQuantity = 1
    record.invitationManagement = "APPLE"
    record.advancedCommerceInfo = "{}"
    record.revision = 17
    return record
  }

  private func json(_ record: TransactionRecord) throws -> [String: NSObject] {
    let data = try JSONEncoder().encode(record)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: NSObject])
  }

  @Test("D1 H1 a share has every value of the purchase, except the listed ones of the member and of the purchaser")
  func values() throws {
    let purchase = everything()
    let date = purchase.purchaseDate.adding(seconds: 60)
    let share = purchase.shared(
      TransactionRecord.Share(
        transactionID: TransactionID(30), date: date, first: nil, isRenewal: false, webOrderLineItemID: "31",
        storefront: .usa, appTransactionID: "704000000000000002"))
    let (bought, shared) = (try json(purchase), try json(share))
    let ofMember: Set = [
      "transactionID", "originalTransactionID", "webOrderLineItemID", "purchaseDate", "originalPurchaseDate",
      "quantity",
      "price", "currency", "storefrontCountryCode", "storefrontID", "reason", "appTransactionID", "ownership",
      "commitment", "isUpgraded",
    ]
    let ofPurchaser: Set = [
      "appAccountToken", "applicationUsername", "revocationDate", "revocationReason", "revocationType",
      "revocationPercentage", "upgradeDate", "previousOriginalTransactionID", "revokedSeatQuantity",
      "invitationManagement", "advancedCommerceInfo",
    ]
    // A new property of the record that is encoded must be set above, and is then the same in the share.
    #expect(bought.count == Mirror(reflecting: purchase).children.count, "every value is set")
    for (name, value) in bought {
      if ofMember.contains(name) {
        #expect(shared[name] != nil && shared[name] != value, "\(name)")
      } else {
        #expect(shared[name] == (ofPurchaser.contains(name) ? nil : value), "\(name)")
      }
    }
    #expect(share.originalTransactionID == share.transactionID)
    #expect((share.quantity, share.price, share.commitment?.price) == (1, .zero, .zero))
    #expect(share.commitment?.billingPeriodNumber == 2)
    #expect((share.reason, share.ownership) == (.purchase, .familyShared))
  }

  @Test("A1 H1 a share has the offer of the purchaser's period in receipts, verifyReceipt and the signed transaction")
  func offer() async throws {
    let shop = try await TeaShop()
    func offer(
      _ kind: SubscriptionOffer.Kind, _ id: String?, _ mode: SubscriptionOffer.PaymentMode, price: Int64
    ) -> SubscriptionOffer {
      SubscriptionOffer(
        kind: kind, identifier: id, paymentMode: mode, period: CalendarPeriod(value: 1, unit: .month),
        numberOfPeriods: 1, price: Milliunits(price), eligibility: [.expired, .existing])
    }
    let offers = [
      offer(.introductory, nil, .freeTrial, price: 0), offer(.promotional, "half", .payUpFront, price: 2_500),
      offer(.offerCode, "THANKS", .payAsYouGo, price: 1_000),
    ]
    try await shop.sell([
      ProductDefinition(
        productID: Self.gold, type: .autoRenewableSubscription, price: Milliunits(5_000), isFamilyShareable: true,
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month), offers: offers))
    ])
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea"))
    }
    let phone = try await shop.phone(signedInAs: "bob")
    let password = try await shop.store.app(TeaShop.app).sharedSecret
    // The trial, then a month at each of the two other offers.
    let requests = [
      nil, PaymentOffer(kind: .promotional, identifier: "half"), PaymentOffer(kind: .offerCode, identifier: "THANKS"),
    ]
    for requested in requests {
      _ = try await shop.store.purchase(Self.gold, of: TeaShop.app, for: "ada", in: .sandbox, offer: requested)
      if requested != nil { shop.clock.advance(seconds: 31 * 86_400) }
      let all = try await shop.store.transactions()
      let bought = try #require(all.first { $0.account == "ada" }).record
      let share = try #require(all.first { $0.account == "bob" }).record
      #expect(bought.offerType != nil)
      let signed = try #require(try await shop.store.unfinished(for: phone.id).deliveries.last)
      let transaction = try signed.signed
      #expect(transaction.transactionID == share.transactionID)
      #expect(transaction.rawOfferType == bought.offerType.map { Int64($0.rawValue) })
      #expect(transaction.offerIdentifier == bought.offerIdentifier)
      #expect(transaction.rawOfferDiscountType == bought.offerDiscountType?.rawValue)
      #expect(transaction.rawOfferPeriod == bought.offerPeriod?.iso8601)
      #expect(transaction.price == .zero)
      let data = try await shop.store.refreshReceipt(for: phone.id)
      let listed = try #require(
        try UnverifiedAppReceipt(data).receipt.inAppPurchases.first { $0.transactionID == share.transactionID })
      let inApp = try #require(
        try await VerifyReceiptAnswer(shop, data, password: password).inApp.first {
          $0["transaction_id"] == share.transactionID.rawValue
        })
      let legacy = try UnverifiedLegacyReceipt(#require(signed.transactionReceipt)).receipt
      let isTrial = bought.offerDiscountType == .freeTrial
      #expect(listed.isTrialPeriod == isTrial)
      #expect(inApp["is_trial_period"] == "\(isTrial)" && legacy["is-trial-period"] == "\(isTrial)")
      #expect(inApp["promotional_offer_id"] == (bought.offerType == .promotional ? "half" : nil))
      #expect(inApp["offer_code_ref_name"] == (bought.offerType == .offerCode ? "THANKS" : nil))
    }
    // A relative's trial does not use up the member's own.
    try await shop.store.changeCustomer("bob", .sandbox) { $0.family = nil }
    let own = try await shop.store.purchase(Self.gold, of: TeaShop.app, for: "bob", in: .sandbox)
    #expect(own.record.offerType == .introductory)
  }
}
