import Foundation
import StoreModel

/// The fields of an answer that only receipts with auto-renewable subscriptions have. Implements Apple's
/// "responseBody.Latest_receipt_info" and "responseBody.Pending_renewal_info"; for legacy receipts, the "In-App
/// Purchase Programming Guide" for iOS 6.
enum RenewalFields: Encodable, Sendable {
  /// - Parameters:
  ///   - latestReceipt: a new app receipt, in DER.
  ///   - transactions: `latest_receipt_info`, newest first.
  ///   - pending: `pending_renewal_info`.
  case app(latestReceipt: Data, transactions: [[String: String]], pending: [[String: String]])
  /// - Parameters:
  ///   - latestReceipt: the legacy receipt of the subscription's newest transaction.
  ///   - transaction: the newest transaction.
  ///   - isExpired: whether the subscription gives no access any more.
  ///   - pending: the renewal information.
  case legacy(latestReceipt: Data, transaction: [String: String], isExpired: Bool, pending: [String: String])

  private enum CodingKeys: String, CodingKey {
    case latestReceipt = "latest_receipt"
    case latestReceiptInfo = "latest_receipt_info"
    case latestExpiredReceiptInfo = "latest_expired_receipt_info"
    case pendingRenewalInfo = "pending_renewal_info"
    case autoRenewStatus = "auto_renew_status"
    case autoRenewProductID = "auto_renew_product_id"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .app(let latestReceipt, let transactions, let pending):
      try container.encode(latestReceipt.base64EncodedString(), forKey: .latestReceipt)
      try container.encode(transactions, forKey: .latestReceiptInfo)
      try container.encode(pending, forKey: .pendingRenewalInfo)
    case .legacy(let latestReceipt, let transaction, let isExpired, let pending):
      if isExpired {
        try container.encode(transaction, forKey: .latestExpiredReceiptInfo)
      } else {
        try container.encode(latestReceipt.base64EncodedString(), forKey: .latestReceipt)
        try container.encode(transaction, forKey: .latestReceiptInfo)
      }
      // A number in answers to legacy receipts, a string in answers to app receipts.
      try container.encode(pending["auto_renew_status"] == "1" ? 1 : 0, forKey: .autoRenewStatus)
      for (name, key) in [
        ("auto_renew_product_id", CodingKeys.autoRenewProductID), ("expiration_intent", .expirationIntent),
        ("is_in_billing_retry_period", .isInBillingRetryPeriod),
      ] {
        try container.encodeIfPresent(pending[name], forKey: key)
      }
    }
  }
}

extension RenewalFields {
  /// An element of `pending_renewal_info`.
  ///
  /// - Parameters:
  ///   - latest: the account's newest transaction of the subscription.
  ///   - subscription: nil if an earlier version of the store sold the transaction. Such a subscription does not renew.
  static func pending(
    _ latest: TransactionRecord, _ subscription: Subscription?, at date: StoreDate
  ) -> [String: String] {
    var fields = [
      "original_transaction_id": latest.originalTransactionID.rawValue, "product_id": latest.productID.rawValue,
      "auto_renew_product_id": (subscription?.renewalProductID ?? latest.productID).rawValue,
      "auto_renew_status": subscription?.isAutoRenewOn == true ? "1" : "0",
    ]
    guard let subscription else {
      if !latest.isActive(at: date) { fields["expiration_intent"] = "1" }
      return fields
    }
    switch subscription.state {
    case .active: break
    case .gracePeriod:
      fields["is_in_billing_retry_period"] = "1"
      if let end = subscription.graceEnd {
        for (key, value) in DateTrio(date: end).fields("grace_period_expires_date") { fields[key] = value }
      }
    case .billingRetry:
      fields["is_in_billing_retry_period"] = "1"
      fields["expiration_intent"] = String(Subscription.ExpirationReason.billingError.rawValue)
    case .expired:
      let reason = subscription.expirationReason ?? .cancelled
      fields["expiration_intent"] = String(reason.rawValue)
      if reason == .billingError { fields["is_in_billing_retry_period"] = "0" }
    case .revoked:
      // Apple documents no `expiration_intent` for a refund. This is the value for a cancellation by the customer.
      fields["expiration_intent"] = String(Subscription.ExpirationReason.cancelled.rawValue)
    }
    if let increase = subscription.priceIncrease {
      let status = increase.isAgreed ? "1" : "0"
      if increase.needsConsent { fields["price_consent_status"] = status }
      fields["price_increase_status"] = status
    }
    return fields
  }
}
