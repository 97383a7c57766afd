import Foundation
import StoreModel

extension SignedTransaction {
  /// The JSON to sign. Keys are sorted by their bytes, missing values are omitted, UUIDs are in lower case.
  ///
  /// The same transaction always has the same bytes. `isUpgraded` is written only if it is true.
  public func payloadBytes() -> [UInt8] {
    var writer = JSONWriter()
    writer.member("additionalTransactionReason", additionalTransactionReason)
    writer.member("advancedCommerceInfo", json: advancedCommerceInfo)
    writer.member("appAccountToken", appAccountToken?.uuidString.lowercased())
    writer.member("appTransactionId", appTransactionID)
    writer.member("billingPlanType", rawBillingPlanType)
    writer.member("bundleId", bundleID.rawValue)
    writer.member("commitmentInfo", json: commitment.map(Self.json))
    writer.member("currency", currency)
    writer.member("deviceVerification", deviceVerification.map { Base64.text($0, .standard) })
    writer.member("deviceVerificationNonce", deviceVerificationNonce?.uuidString.lowercased())
    writer.member("environment", rawEnvironment)
    writer.member("expiresDate", expiresDate?.millisecondsSince1970)
    writer.member("inAppOwnershipType", rawOwnership)
    writer.member("isUpgraded", isUpgraded ? true : nil)
    if let multiSeatInfo { writer.object("multiSeatInfo") { multiSeatInfo.write(to: &$0) } }
    writer.member("offerDiscountType", rawOfferDiscountType)
    writer.member("offerIdentifier", offerIdentifier)
    writer.member("offerPeriod", rawOfferPeriod)
    writer.member("offerType", rawOfferType)
    writer.member("originalPurchaseDate", originalPurchaseDate.millisecondsSince1970)
    writer.member("originalTransactionId", originalTransactionID.rawValue)
    writer.member("previousOriginalTransactionId", previousOriginalTransactionID?.rawValue)
    writer.member("price", price?.rawValue)
    writer.member("productId", productID.rawValue)
    writer.member("purchaseDate", purchaseDate.millisecondsSince1970)
    writer.member("quantity", Int64(quantity))
    writer.member("revocationDate", revocationDate?.millisecondsSince1970)
    writer.member("revocationPercentage", revocationPercentage)
    writer.member("revocationReason", rawRevocationReason)
    writer.member("revocationType", rawRevocationType)
    writer.member("signedDate", signedDate.millisecondsSince1970)
    writer.member("storefront", storefrontCountryCode)
    writer.member("storefrontId", storefrontID)
    writer.member("subscriptionGroupIdentifier", subscriptionGroupID?.rawValue)
    writer.member("transactionId", transactionID.rawValue)
    writer.member("transactionReason", rawReason)
    writer.member("type", rawType)
    writer.member("webOrderLineItemId", webOrderLineItemID)
    return writer.finished()
  }

  private static func json(_ commitment: TransactionRecord.Commitment) -> String {
    var writer = JSONWriter()
    writer.member("billingPeriodNumber", Int64(commitment.billingPeriodNumber))
    writer.member("commitmentExpiresDate", commitment.expiresDate.millisecondsSince1970)
    writer.member("commitmentPrice", commitment.price.rawValue)
    writer.member("totalBillingPeriods", Int64(commitment.totalBillingPeriods))
    return String(decoding: writer.finished(), as: UTF8.self)
  }
}
