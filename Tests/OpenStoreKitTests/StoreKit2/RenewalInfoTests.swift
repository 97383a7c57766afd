import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: renewal information", .timeLimit(.minutes(30)))
struct RenewalInfoTests {
  private func date(_ milliseconds: Double) -> Date { Date(timeIntervalSince1970: milliseconds / 1000) }

  @Test("each property has the value of its member of the signed payload")
  func allMembers() throws {
    let text = """
      {\(SubscriptionRenewalInfo.leastMembers),"autoRenewProductId":"q","autoRenewStatus":1,"expirationIntent":2,\
      "isInBillingRetryPeriod":true,"gracePeriodExpiresDate":7000,"priceIncreaseStatus":0,"offerType":2,\
      "offerIdentifier":"half","offerDiscountType":"PAY_UP_FRONT","offerPeriod":"P3M","renewalDate":6000,\
      "renewalPrice":4990,"currency":"USD","recentSubscriptionStartDate":1500,"eligibleWinBackOfferIds":["a","b"],\
      "environment":"Sandbox","appAccountToken":"7E3FB20B-4CDB-47CC-936D-99D65F608138","appTransactionId":"704",\
      "renewalBillingPlanType":"BILLED_UPFRONT","commitmentInfo":{"commitmentAutoRenewProductId":"q",\
      "commitmentAutoRenewStatus":1,"commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalDate":9000,\
      "commitmentRenewalPrice":60000},"deviceVerification":"AQID",\
      "deviceVerificationNonce":"48c8b92d-ce0d-4229-bedf-e61b4f9cfc92","advancedCommerceInfo":{"consistencyToken":"C",\
      "requestReferenceId":"R","taxCode":"T","descriptors":{"description":"D","displayName":"N"},"period":"P1M",\
      "items":[{"SKU":"S","displayName":"I","price":1000}]}}
      """
    let info: Product.SubscriptionInfo.RenewalInfo = try #require(try SubscriptionRenewalInfo.of(text))
    #expect(info.originalTransactionID == 10 && info.currentProductID == "p")
    #expect(info.willAutoRenew && info.autoRenewPreference == "q")
    #expect(info.expirationReason == .billingError && info.isInBillingRetry)
    #expect(info.gracePeriodExpirationDate == date(7000) && info.priceIncreaseStatus == .pending)
    #expect(info.offer?.id == "half" && info.offerID == "half" && info.offerType == .promotional)
    #expect(info.offer?.period == .everyThreeMonths && info.offerPeriodStringRepresentation == "P3M")
    #expect(info.offerPaymentModeStringRepresentation == "PAY_UP_FRONT")
    #expect(info.environment == .sandbox && info.environmentStringRepresentation == "Sandbox")
    #expect(info.recentSubscriptionStartDate == date(1500) && info.renewalDate == date(6000))
    #expect(info.renewalPrice == Decimal(string: "4.99") && info.currencyCode == "USD")
    #expect(info.currency == Locale.Currency("USD") && info.eligibleWinBackOfferIDs == ["a", "b"])
    #expect(info.appAccountToken != nil && info.appTransactionID == "704" && info.signedDate == date(2000))
    #expect(info.deviceVerification == Data([1, 2, 3]) && info.deviceVerificationNonce.uuidString.hasPrefix("48C8"))
    #expect(info.renewalBillingPlanType == .upFront)
    let commitment: Product.SubscriptionInfo.RenewalInfo.CommitmentInfo = try #require(info.commitmentInfo)
    #expect(commitment.autoRenewPreference == "q" && commitment.willAutoRenew && commitment.renewalPrice == 60)
    #expect(commitment.renewalBillingPlanType == .monthly && commitment.renewalDate == date(9000))
    let advanced: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo = try #require(info.advancedCommerceInfo)
    #expect(advanced.consistencyToken == "C" && advanced.requestReferenceID == "R" && advanced.taxCode == "T")
    #expect(advanced.description == "D" && advanced.displayName == "N" && advanced.period == .monthly)
    let item: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item = try #require(advanced.items.first)
    let details: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details = item.details
    #expect(details.sku == "S")
    #expect(info.debugDescription == text && String(decoding: info.jsonRepresentation, as: UTF8.self) == text)
    #expect(try info == SubscriptionRenewalInfo.of(text))
  }

  @Test("without renewal there is no preference and no price; a price increase that was not announced is not pending")
  func fewMembers() throws {
    let text = """
      {\(SubscriptionRenewalInfo.leastMembers),"autoRenewStatus":0,"autoRenewProductId":"p","renewalPrice":4990}
      """
    let info = try #require(try SubscriptionRenewalInfo.of(text))
    #expect(!info.willAutoRenew && info.autoRenewPreference == nil && info.renewalPrice == nil)
    #expect(info.priceIncreaseStatus == .noIncreasePending && info.expirationReason == nil && info.offer == nil)
    #expect(!info.isInBillingRetry && info.gracePeriodExpirationDate == nil && info.eligibleWinBackOfferIDs.isEmpty)
    #expect(info.recentSubscriptionStartDate == date(2000) && info.commitmentInfo == nil)
    let agreed = try #require(
      try SubscriptionRenewalInfo.of("{\(SubscriptionRenewalInfo.leastMembers),\"priceIncreaseStatus\":1}"))
    #expect(agreed.priceIncreaseStatus == .agreed)
  }

  // What billing retry, expiration reason and grace period mean together.

  @Test("active: no billing retry, no reason of an expiration")
  func active() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.purchase(TestStore.basic)
    let info = try await device.renewalInfo()
    #expect(!info.isInBillingRetry && info.expirationReason == nil && info.gracePeriodExpirationDate == nil)
    #expect(info.willAutoRenew && info.autoRenewPreference == TestStore.basic)
    #expect(info.renewalPrice == Decimal(string: "1.99") && info.currencyCode == "USD")
    let bought = try #require(try await device.all().first)
    #expect(info.renewalDate == bought.expirationDate && info.originalTransactionID == bought.originalID)
    #expect(
      info.deviceVerification == DeviceProof(of: device.deviceID, nonce: info.deviceVerificationNonce).digest)
  }

  @Test("a failed renewal with a grace period: billing retry with the end of the grace period, and access")
  func grace() async throws {
    let test = try await TestStore.club()
    try await test.store.setRenewalRules(RenewalRules(gracePeriod: .standard), of: TestStore.bundleID)
    let device = try test.clubDevice()
    try await device.purchase(TestStore.basic)
    try await test.pay(.declined)
    try await test.nextStep()
    let status = try #require(try await device.status())
    let info = try status.renewalInfo.payloadValue
    #expect(status.state == .inGracePeriod && info.isInBillingRetry && info.gracePeriodExpirationDate != nil)
    #expect(try await device.entitlements().map(\.productID) == [TestStore.basic])
    let expiration = try #require(try await device.entitlements().first?.expirationDate)
    #expect(expiration < info.gracePeriodExpirationDate ?? .distantPast)
  }

  @Test("a failed renewal without a grace period: billing retry, and no access")
  func retry() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.purchase(TestStore.basic)
    try await test.pay(.declined)
    try await test.nextStep()
    let status = try #require(try await device.status())
    let info = try status.renewalInfo.payloadValue
    #expect(status.state == .inBillingRetryPeriod && info.isInBillingRetry && info.gracePeriodExpirationDate == nil)
    #expect(try await device.entitlements().isEmpty)
  }

  @Test("a cancelled subscription expires, with the reason that automatic renewal was turned off")
  func expired() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let bought = try await device.purchase(TestStore.monthly)
    try await device.changeSubscription(TransactionID(bought.id), .autoRenew(isOn: false))
    #expect(try await device.renewalInfo().willAutoRenew == false)
    try await test.nextStep()
    let status = try #require(try await device.status())
    let info = try status.renewalInfo.payloadValue
    #expect(status.state == .expired && info.expirationReason == .autoRenewDisabled && !info.isInBillingRetry)
    #expect(info.eligibleWinBackOfferIDs == ["back"])
  }

  @Test("a downgrade changes the preference only")
  func downgrade() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let bought = try await device.purchase(TestStore.monthly)
    let again = try await device.purchase(TestStore.basic)
    #expect(again.id == bought.id)
    let info = try await device.renewalInfo()
    #expect(info.currentProductID == TestStore.monthly && info.autoRenewPreference == TestStore.basic)
  }

  @Test(
    "the raw values and texts of the reasons and states",
    arguments: [
      (SubscriptionRenewalInfo.ExpirationReason.autoRenewDisabled, 1), (.billingError, 2),
      (.didNotConsentToPriceIncrease, 3), (.productUnavailable, 4), (.unknown, 5),
    ])
  func expirationReasons(reason: SubscriptionRenewalInfo.ExpirationReason, number: Int) {
    #expect(reason.rawValue == number && reason == .init(rawValue: number) && !reason.localizedDescription.isEmpty)
  }

  @Test("each status of a price increase has a text of its own")
  func priceIncreaseTexts() {
    let all: [SubscriptionRenewalInfo.PriceIncreaseStatus] = [.noIncreasePending, .pending, .agreed]
    #expect(Set(all.map(\.localizedDescription)).count == 3)
  }
}
