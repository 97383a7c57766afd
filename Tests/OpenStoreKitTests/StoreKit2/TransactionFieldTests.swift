import Foundation
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: the properties of a transaction", .timeLimit(.minutes(30)))
struct TransactionFieldTests {
  private static let full = """
    {\(Transaction.leastMembers),"webOrderLineItemId":"77","subscriptionGroupIdentifier":"G","expiresDate":9000,\
    "quantity":3,"type":"Auto-Renewable Subscription","appAccountToken":"7E3FB20B-4CDB-47CC-936D-99D65F608138",\
    "inAppOwnershipType":"FAMILY_SHARED","revocationDate":3000,"revocationReason":1,"revocationType":"REFUND_PRORATED",\
    "revocationPercentage":33333,"isUpgraded":true,"offerType":4,"offerIdentifier":"back",\
    "offerDiscountType":"PAY_AS_YOU_GO","offerPeriod":"P2M","environment":"Sandbox","storefront":"DEU",\
    "storefrontId":"143443","transactionReason":"RENEWAL","price":12345,"currency":"EUR","appTransactionId":"704",\
    "billingPlanType":"MONTHLY","commitmentInfo":{"billingPeriodNumber":2,"totalBillingPeriods":12,\
    "commitmentExpiresDate":99000,"commitmentPrice":48000},"deviceVerification":"AQID",\
    "deviceVerificationNonce":"48c8b92d-ce0d-4229-bedf-e61b4f9cfc92"}
    """

  private func date(_ milliseconds: Double) -> Date { Date(timeIntervalSince1970: milliseconds / 1000) }

  @Test("each property has the value of its member of the signed payload")
  func allMembers() throws {
    let t = try #require(try Transaction.of(Self.full))
    #expect(t.id == 11 && t.originalID == 10)
    let id: Transaction.ID = t.id
    #expect(id == 11)
    #expect(t.webOrderLineItemID == "77" && t.productID == "p")
    #expect(t.subscriptionGroupID == "G" && t.appBundleID == "com.example.app")
    #expect(t.purchaseDate == date(1000) && t.originalPurchaseDate == date(500))
    #expect(t.expirationDate == date(9000))
    #expect(t.purchasedQuantity == 3 && t.isUpgraded)
    #expect(t.offer?.id == "back" && t.offer?.type == .winBack)
    #expect(t.offer?.paymentMode == .payAsYouGo && t.offer?.period == .everyTwoMonths)
    #expect(t.offerType == .winBack && t.offerID == "back")
    #expect(t.offerPaymentModeStringRepresentation == "PAY_AS_YOU_GO")
    #expect(t.offerPeriodStringRepresentation == "P2M")
    #expect(t.revocationDate == date(3000) && t.revocationReason == .developerIssue)
    #expect(t.revocationType == .proratedRefund && t.revocationTypeStringRepresentation == "REFUND_PRORATED")
    #expect(t.revocationPercentage == Decimal(string: "33.333"))
    #expect(t.productType == .autoRenewable)
    #expect(t.appAccountToken == UUID(uuidString: "7E3FB20B-4CDB-47CC-936D-99D65F608138"))
    #expect(t.environment == .sandbox)
    #expect(t.environmentStringRepresentation == "Sandbox")
    #expect(t.reason == .renewal && t.reasonStringRepresentation == "RENEWAL")
    #expect(t.storefront.countryCode == "DEU" && t.storefront.id == "143443")
    #expect(t.storefrontCountryCode == "DEU" && t.storefront.currency == Locale.Currency("EUR"))
    #expect(t.price == Decimal(string: "12.345"))
    #expect(t.currency == Locale.Currency("EUR"))
    #expect(t.currencyCode == "EUR")
    #expect(t.appTransactionID == "704")
    #expect(t.deviceVerification == Data([1, 2, 3]))
    #expect(t.deviceVerificationNonce == UUID(uuidString: "48C8B92D-CE0D-4229-BEDF-E61B4F9CFC92"))
    #expect(t.ownershipType == .familyShared && t.signedDate == date(2000))
    #expect(t.billingPlanType == .monthly)
    let commitment: Transaction.CommitmentInfo = try #require(t.commitmentInfo)
    #expect(commitment.billingPeriodNumber == 2 && commitment.totalBillingPeriods == 12)
    #expect(commitment.expirationDate == date(99_000))
    #expect(commitment.price == 48)
    #expect(String(decoding: t.jsonRepresentation, as: UTF8.self) == Self.full)
    #expect(t.debugDescription == Self.full)
  }

  @Test("a member that is missing is nil, or has its usual value")
  func fewMembers() throws {
    let t = try #require(try Transaction.of("{\(Transaction.leastMembers)}"))
    #expect(t.webOrderLineItemID == nil && t.subscriptionGroupID == nil && t.expirationDate == nil)
    #expect(t.purchasedQuantity == 1 && !t.isUpgraded && t.offer == nil && t.offerType == nil && t.offerID == nil)
    #expect(t.revocationDate == nil && t.revocationReason == nil && t.revocationType == nil)
    #expect(t.revocationPercentage == nil && t.appAccountToken == nil && t.price == nil && t.currency == nil)
    #expect(t.reason == .purchase && t.ownershipType == .purchased && t.billingPlanType == nil)
    #expect(t.commitmentInfo == nil && t.advancedCommerceInfo == nil)
    #expect(t.deviceVerification.isEmpty && t.appTransactionID.isEmpty)
  }

  @Test("a value that this version does not know is kept; an id beyond 64 bits makes no transaction")
  func unknownValues() throws {
    let text = "{\(Transaction.leastMembers),\"type\":\"Gift\",\"offerType\":5,\"revocationReason\":9}"
    let t = try #require(try Transaction.of(text))
    #expect(t.productType.rawValue == "Gift" && t.offer?.type.rawValue == 5 && t.revocationReason?.rawValue == 9)
    let large = Transaction.leastMembers.replacing("\"11\"", with: "\"99999999999999999999\"")
    #expect(try Transaction.of("{\(large)}") == nil)
  }

  @Test("two transactions are equal if their payloads are, whatever the signature")
  func equality() throws {
    let t = try #require(try Transaction.of(Self.full))
    let content = try SignedContent(jws: jws(Self.full, signature: Array(repeating: 9, count: 64)), failure: nil) {
      try SignedTransaction(payload: $0)
    }
    let again = try #require(Transaction(content, on: nil))
    #expect(t == again && t.hashValue == again.hashValue && Set([t, again]).count == 1)
    let other = try #require(try Transaction.of("{\(Transaction.leastMembers)}"))
    #expect(t != other)
  }

  @Test("the Advanced Commerce object is read from the payload; one that cannot be read is nil")
  func advancedCommerce() throws {
    let json = """
      {"requestReferenceId":"R","estimatedTax":190,"taxRate":19000,"taxCode":"C003","taxExclusivePrice":810,\
      "descriptors":{"description":"D","displayName":"N"},"period":"P1M","items":[{"SKU":"S","displayName":"I",\
      "description":"T","price":1000,"revocationDate":7000,"offer":{"period":"P1W","periodCount":2,"price":500,\
      "reason":"WIN_BACK"},"refunds":[{"refundAmount":250,"refundDate":8000,"refundReason":"LEGAL",\
      "refundType":"PRORATED"}]}]}
      """
    let t = try #require(
      try Transaction.of("{\(Transaction.leastMembers),\"advancedCommerceInfo\":\(json)}"))
    let info: Transaction.AdvancedCommerceInfo = try #require(t.advancedCommerceInfo)
    #expect(info.requestReferenceID == "R")
    #expect(info.estimatedTax == Decimal(string: "0.19") && info.taxRate == 19)
    #expect(info.taxCode == "C003")
    #expect(info.taxExclusivePrice == Decimal(string: "0.81"))
    #expect(info.description == "D")
    #expect(info.displayName == "N")
    #expect(info.period == .monthly)
    let item: Transaction.AdvancedCommerceInfo.Item = try #require(info.items.first)
    #expect(item.revocationDate == date(7000))
    let details: Transaction.AdvancedCommerceInfo.Item.Details = item.details
    #expect(details.sku == "S" && details.displayName == "I")
    #expect(details.description == "T")
    #expect(details.price == 1)
    let offer: Transaction.AdvancedCommerceInfo.Offer = try #require(
      details.offer)
    #expect(offer.price == Decimal(string: "0.5"))
    #expect(offer.period == .weekly)
    #expect(offer.periodCount == 2)
    #expect(offer.reason == .winBack)
    let refund: Transaction.AdvancedCommerceInfo.Refund = try #require(item.refunds?.first)
    #expect(refund.reason == .legal)
    #expect(refund.type == .proRated)
    #expect(refund.date == date(8000))
    #expect(refund.amount == Decimal(string: "0.25"))
    let other = try #require(
      try Transaction.of("{\(Transaction.leastMembers),\"advancedCommerceInfo\":{\"items\":[]}}"))
    #expect(other.advancedCommerceInfo == nil)
  }

  @Test("a purchase has the values of the store's record")
  func ofPurchase() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let token = UUID()
    let bought = try await device.purchase(TestStore.monthly, [.appAccountToken(token)])
    let record = try #require(try await test.store.transactions().first).record
    #expect(bought.id == record.transactionID.number && bought.originalID == record.originalTransactionID.number)
    #expect(bought.productID == TestStore.monthly && bought.appAccountToken == token)
    #expect(bought.purchaseDate == record.purchaseDate.date)
    #expect(bought.expirationDate == record.expiresDate?.date && bought.expirationDate != nil)
    #expect(bought.subscriptionGroupID == TestStore.group && bought.appBundleID == TestStore.bundleID.rawValue)
    #expect(bought.environment == .sandbox && bought.storefront.countryCode == "USA")
    #expect(bought.offer?.type == .introductory && bought.offer?.paymentMode == .freeTrial && bought.price == 0)
    #expect(bought.ownershipType == .purchased && bought.reason == .purchase && bought.purchasedQuantity == 1)
    #expect(bought.deviceVerification.count == 48)
    #expect(
      bought.deviceVerification == DeviceProof(of: device.deviceID, nonce: bought.deviceVerificationNonce).digest)
  }
}
