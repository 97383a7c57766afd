import Foundation
import Testing

@testable import OpenStoreKit

/// The values that Documentation/storekit2.md lists under "Decisions for what is not confirmed", and those of signed data.
@Suite("StoreKit 2: raw values", .timeLimit(.minutes(30)))
struct RawValueTests {
  @Test("kinds of products")
  func productTypes() {
    let all: [Product.ProductType] = [.consumable, .nonConsumable, .nonRenewable, .autoRenewable]
    #expect(
      all.map(\.rawValue) == [
        "Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription",
      ])
    #expect(all.allSatisfy { !$0.localizedDescription.isEmpty })
    #expect(Product.ProductType(rawValue: "Gift").rawValue == "Gift")
  }

  @Test("offers of products")
  func productOffers() {
    let types: [Product.SubscriptionOffer.OfferType] = [.introductory, .promotional, .winBack]
    #expect(types.map(\.rawValue) == ["Introductory", "Promotional", "WinBack"])
    #expect(Set(types.map(\.localizedDescription)).count == 3)
    #expect(Product.SubscriptionOffer.OfferType(rawValue: "New").localizedDescription == "New")
    let modes: [Product.SubscriptionOffer.PaymentMode] = [.payAsYouGo, .payUpFront, .freeTrial]
    #expect(modes.map(\.rawValue) == ["PayAsYouGo", "PayUpFront", "FreeTrial"])
    #expect(Set(modes.map(\.localizedDescription)).count == 3)
    #expect(Product.SubscriptionOffer.PaymentMode(rawValue: "New").localizedDescription == "New")
    var signature = Product.SubscriptionOffer.Signature(
      keyID: "K", nonce: .zero, timestamp: 1, signature: .init([1]))
    (signature.keyID, signature.timestamp) = ("L", 2)
    (signature.nonce, signature.signature) = (.zero, .init([2]))
    #expect(signature == .init(keyID: "L", nonce: .zero, timestamp: 2, signature: .init([2])))
  }

  @Test("plans")
  func plans() {
    let plans: [Product.SubscriptionInfo.BillingPlanType] = [.monthly, .upFront]
    #expect(plans.map(\.rawValue) == ["MONTHLY", "BILLED_UPFRONT"] && plans[0] == .init(rawValue: "MONTHLY"))
  }

  @Test("properties of transactions")
  func transactions() {
    #expect([Transaction.Reason.purchase, .renewal].map(\.rawValue) == ["PURCHASE", "RENEWAL"])
    #expect(Transaction.Reason(rawValue: "GIFT") != .purchase)
    #expect([Transaction.RevocationReason.developerIssue, .other].map(\.rawValue) == [1, 0])
    #expect(Transaction.RevocationReason(rawValue: 1).localizedDescription == "Issue with the app")
    let revocations: [Transaction.RevocationType] = [.fullRefund, .proratedRefund, .familyRevocation]
    #expect(revocations.map(\.rawValue) == ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"])
    #expect(Transaction.RevocationType(rawValue: "NEW").rawValue == "NEW")
    let offers: [Transaction.OfferType] = [.introductory, .promotional, .code, .winBack]
    #expect(offers.map(\.rawValue) == [1, 2, 3, 4] && Set(offers.map(\.localizedDescription)).count == 4)
    #expect(Transaction.OfferType(rawValue: 5).localizedDescription == "Offer 5")
    let owners: [Transaction.OwnershipType] = [.purchased, .familyShared]
    #expect(owners.map(\.rawValue) == ["PURCHASED", "FAMILY_SHARED"])
    #expect(Set(owners.map(\.localizedDescription)).count == 2)
    #expect(Transaction.OwnershipType(rawValue: "NEW").localizedDescription == "NEW")
    let modes: [Transaction.Offer.PaymentMode] = [.freeTrial, .payAsYouGo, .payUpFront, .oneTime]
    #expect(modes.map(\.rawValue) == ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME"])
    #expect(Transaction.Offer.PaymentMode(rawValue: "NEW").rawValue == "NEW")
  }

  @Test("the Advanced Commerce object")
  func advancedCommerce() {
    typealias Info = Transaction.AdvancedCommerceInfo
    #expect(
      [Info.Offer.Reason.acquisition, .retention, .winBack].map(\.rawValue) == ["ACQUISITION", "RETENTION", "WIN_BACK"])
    let reasons: [Info.Refund.Reason] = [.legal, .modifyItems, .unintended, .unfulfilled, .unsatisfied, .other]
    #expect(
      reasons.map(\.rawValue) == [
        "LEGAL", "MODIFY_ITEMS_REFUND", "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE",
        "OTHER",
      ])
    let types: [Info.Refund.RefundType] = [.custom, .proRated, .full]
    #expect(types.map(\.rawValue) == ["CUSTOM", "PRORATED", "FULL"])
    #expect(
      Info.Refund.RefundType(rawValue: "NEW").rawValue == "NEW" && Info.Offer.Reason(rawValue: "N").rawValue == "N")
    #expect(Info.Refund.Reason(rawValue: "NEW") != .other)
  }
}
