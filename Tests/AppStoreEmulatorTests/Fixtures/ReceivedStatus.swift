import AppStoreServerAPI
import SignedData
import StoreModel

/// The status of a subscription as a device receives it.
struct ReceivedStatus {
  let groupID: SubscriptionGroupID
  let transaction: SignedTransaction
  let renewalInfo: SignedRenewalInfo

  init(_ signed: SignedStatus) throws {
    groupID = signed.groupID
    transaction = try UnverifiedJWS(signed.signedTransaction).transaction()
    renewalInfo = try SignedRenewalInfo(payload: UnverifiedJWS(signed.signedRenewalInfo).contents.payload)
  }

  /// The status that follows from the signed values: Documentation/storekit2.md, "Status".
  var derived: SubscriptionStatus {
    if transaction.revocationDate != nil { return .revoked }
    if renewalInfo.isInBillingRetryPeriod == true {
      return renewalInfo.gracePeriodExpiresDate.map { $0 > renewalInfo.signedDate } == true
        ? .billingGracePeriod : .billingRetry
    }
    return renewalInfo.expirationIntent == nil ? .active : .expired
  }
}
