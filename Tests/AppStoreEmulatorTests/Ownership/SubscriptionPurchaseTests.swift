import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Buying a subscription's single period", .timeLimit(.minutes(30)))
struct SubscriptionPurchaseTests {
  @Test("A1 a subscription has its group, its expiration and its line item id at every API")
  func dates() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let signed = try #require(try await shop.buy(TeaShop.monthly, on: phone).deliveries.first).signed
    #expect(signed.type == .autoRenewableSubscription)
    #expect(signed.subscriptionGroupID == "club")
    #expect(signed.purchaseDate.description == "2026-07-01T12:00:00.000Z")
    #expect(signed.expiresDate?.description == "2026-08-01T12:00:00.000Z")
    let number = try #require(signed.webOrderLineItemID)
    let listed = try #require(try await shop.appReceipt(on: phone).inAppPurchases.first)
    #expect(listed.expiresDate == signed.expiresDate)
    #expect(listed.webOrderLineItemID.map(String.init) == number)
    let password = try #require(try await shop.store.apps().first).sharedSecret
    let answer = try await VerifyReceiptAnswer(
      shop, try await shop.store.refreshReceipt(for: phone.id), password: password)
    #expect(answer.inApp.first?["expires_date_ms"] == signed.expiresDate.map { "\($0.millisecondsSince1970)" })
    #expect(answer.inApp.first?["web_order_line_item_id"] == number)
  }

  @Test("A1 a free subscription is an auto-renewable one of price 0, and no charge is written")
  func free() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let signed = try #require(try await shop.buy(TeaShop.news, on: phone).deliveries.first).signed
    #expect(signed.type == .autoRenewableSubscription)
    #expect(signed.price == .zero)
    #expect(signed.expiresDate?.description == "2026-07-08T12:00:00.000Z")
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("A1 a season ticket can be bought again and again, has no end here, and is charged each time")
  func nonRenewing() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    for number in 1...2 {
      let batch = try await shop.buy(TeaShop.season, as: PaymentID("\(number)"), on: phone)
      #expect(try #require(batch.deliveries.first).signed.expiresDate == nil)
    }
    #expect(try await shop.store.charges().count == 2)
    #expect(try await shop.appReceipt(on: phone).inAppPurchases.count == 2)
  }

  @Test("C2 the active plan is not quoted again: ASDServerErrorDomain 3532")
  func active() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.monthly, on: phone)
    let refusal = await #expect(throws: StoreRefusal.self) {
      _ = try await shop.quote(TeaShop.monthly, as: "2", on: phone)
    }
    #expect(refusal?.code == .alreadySubscribed)
    #expect(refusal?.endsPayment == true)
    #expect(refusal?.appError?.domain == "SKErrorDomain")
    #expect(refusal?.appError?.underlying == AppError.Underlying(domain: "ASDServerErrorDomain", code: 3532))
    #expect(try await shop.quote(TeaShop.news, as: "3", on: phone).total.amount == .zero)
  }

  @Test("D1 of two devices that confirm the same subscription one is charged; a quote of another plan is asked again")
  func race() async throws {
    let shop = try await TeaShop.lasting()
    let phones = [try await shop.phone("1"), try await shop.phone("2"), try await shop.phone("3")]
    let quotes = [
      try await shop.quote(TeaShop.monthly, on: phones[0]), try await shop.quote(TeaShop.monthly, on: phones[1]),
      try await shop.quote(TeaShop.yearly, on: phones[2]),
    ]
    #expect(try await shop.store.confirm(quotes[0], for: phones[0].id).purchase().deliveries.first?.redelivery == nil)
    #expect(try await shop.store.confirm(quotes[1], for: phones[1].id).purchase().deliveries.first?.redelivery != nil)
    guard case .stale(let changed) = try await shop.store.confirm(quotes[2], for: phones[2].id) else {
      Issue.record("the second plan must be asked again")
      return
    }
    #expect(changed.plan?.startDate != nil && changed.total.amount == .zero)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D1 two plans of a group that wait for approval: the second is refused, whichever it is")
  func approvals() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    for (payment, product) in [("1", TeaShop.monthly), ("2", TeaShop.yearly)] {
      let quote = try await shop.quote(product, as: PaymentID(payment), on: phone)
      #expect(try await shop.store.confirm(quote, for: phone.id) == .deferred)
    }
    #expect(try await shop.store.decideApproval(of: "1", on: phone.id, isApproved: true) != nil)
    #expect(try await shop.store.decideApproval(of: "2", on: phone.id, isApproved: true) == nil)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D1 two plans of a group that were interrupted: one is bought when the matter is settled")
  func interruptions() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .needsAttention }
    for (payment, product) in [("1", TeaShop.monthly), ("2", TeaShop.yearly)] {
      #expect(
        try await refusal { try await shop.buy(product, as: PaymentID(payment), on: phone) } == .purchaseInterrupted)
    }
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D1 a refund is not reversed while another plan of the group is active")
  func reversal() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(TeaShop.monthly, on: phone).deliveries.first).signed.transactionID
    try await shop.store.refund(first)
    try await shop.buy(TeaShop.yearly, as: "2", on: phone)
    let before = try await shop.records()
    await #expect(
      throws: AppStoreEmulatorError.notRefundable(first, "the customer has subscribed to another plan since")
    ) {
      try await shop.store.reverseRefund(of: first)
    }
    #expect(try await shop.records() == before)
  }

  @Test("D1 after a cancelled subscription has expired, another plan is charged and continues its chain")
  func resubscribed() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(TeaShop.monthly, on: phone).deliveries.first).signed
    try await shop.store.setAutoRenew(ofSubscription: first.transactionID, isOn: false)
    shop.clock.advance(seconds: 31 * 24 * 3600)
    let second = try #require(try await shop.buy(TeaShop.yearly, as: "2", on: phone).deliveries.first)
    #expect(second.redelivery == nil)
    #expect(try second.signed.originalTransactionID == first.transactionID)
    #expect(try second.signed.originalPurchaseDate == first.purchaseDate)
    #expect(try second.signed.webOrderLineItemID != first.webOrderLineItemID)
    #expect(try await shop.store.charges().count == 2)
  }
}
