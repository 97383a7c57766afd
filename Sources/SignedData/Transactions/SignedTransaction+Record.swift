import Foundation
import StoreModel

extension SignedTransaction {
  /// Makes a signed transaction from a stored one.
  ///
  /// - Parameters:
  ///   - record: the stored transaction. A signed transaction has no `itemID` and no `applicationUsername`.
  ///   - signedDate: the date of signing.
  ///   - deviceVerification: the proof that binds the transaction to a device, 48 bytes
  ///     (``DeviceIdentifier/verification(nonce:)``); nil in answers of server APIs.
  ///   - deviceVerificationNonce: the nonce of the proof.
  public init(
    record: TransactionRecord, signedDate: StoreDate, deviceVerification: [UInt8]? = nil,
    deviceVerificationNonce: UUID? = nil
  ) {
    self.init(
      transactionID: record.transactionID, originalTransactionID: record.originalTransactionID,
      bundleID: record.bundleID, productID: record.productID, purchaseDate: record.purchaseDate,
      originalPurchaseDate: record.originalPurchaseDate, signedDate: signedDate)
    webOrderLineItemID = record.webOrderLineItemID
    subscriptionGroupID = record.subscriptionGroupID
    expiresDate = record.expiresDate
    quantity = record.quantity
    rawType = record.type.rawValue
    appAccountToken = record.appAccountToken
    rawOwnership = record.ownership.rawValue
    revocationDate = record.revocationDate
    rawRevocationReason = record.revocationReason.map { Int64($0.rawValue) }
    rawRevocationType = record.revocationType?.rawValue
    revocationPercentage = record.revocationPercentage.map(Int64.init)
    isUpgraded = record.isUpgraded
    rawOfferType = record.offerType.map { Int64($0.rawValue) }
    offerIdentifier = record.offerIdentifier
    rawOfferDiscountType = record.offerDiscountType?.rawValue
    rawOfferPeriod = record.offerPeriod?.iso8601
    rawEnvironment = record.environment.rawValue
    storefrontCountryCode = record.storefrontCountryCode
    storefrontID = record.storefrontID
    rawReason = record.reason.rawValue
    price = record.price
    currency = record.currency
    appTransactionID = record.appTransactionID
    rawBillingPlanType = record.billingPlanType?.rawValue
    commitment = record.commitment
    previousOriginalTransactionID = record.previousOriginalTransactionID
    if record.revokedSeatQuantity != nil || record.invitationManagement != nil {
      multiSeatInfo = TransactionSeats(
        invitationManagement: record.invitationManagement, revokedSeatQuantity: record.revokedSeatQuantity)
    }
    advancedCommerceInfo = record.advancedCommerceInfo
    self.deviceVerification = deviceVerification
    self.deviceVerificationNonce = deviceVerificationNonce
  }
}
