import Foundation
import SignedData
import StoreModel

extension LatestAppReceipt {
  /// Writes the fields of an answer that only app receipts with auto-renewable subscriptions have, except `latest_receipt`.
  /// Implements Apple's "responseBody.Latest_receipt_info" and "responseBody.Pending_renewal_info".
  ///
  /// - Parameter objects: the records, as written by ``InAppFields``.
  func write(to writer: inout JSONWriter, _ objects: WrittenObjects, _ records: [StoredTransaction]) {
    writer.array("latest_receipt_info", of: latest) { writer, position in
      writer.members(objects, at: position)
      InAppFields.writeLatest(records[position].record) { writer.member($0, $1) }
    }
    writer.array("pending_renewal_info", of: pending) { $0.members($1) }
  }
}

/// The fields of an answer that only legacy receipts of auto-renewable subscriptions have. Implements the "In-App Purchase
/// Programming Guide" for iOS 6.
struct LegacyRenewalFields {
  /// The legacy receipt of the subscription's newest transaction.
  let latestReceipt: Data
  /// The newest transaction.
  let transaction: [String: String]
  /// Whether the subscription gives no access any more.
  let isExpired: Bool
  /// The renewal information.
  let pending: [String: String]

  func write(to writer: inout JSONWriter) {
    if isExpired {
      writer.object("latest_expired_receipt_info") { $0.members(transaction) }
    } else {
      writer.member("latest_receipt", base64: latestReceipt)
      writer.object("latest_receipt_info") { $0.members(transaction) }
    }
    // The value is a number in answers to legacy receipts, and a string in answers to app receipts.
    writer.member("auto_renew_status", pending["auto_renew_status"] == "1" ? 1 : 0)
    writer.member("auto_renew_product_id", pending["auto_renew_product_id"])
    writer.member("expiration_intent", pending["expiration_intent"])
    writer.member("is_in_billing_retry_period", pending["is_in_billing_retry_period"])
  }
}

/// Writes the renewal information of a subscription from its ``RenewalRecord``.
enum RenewalFields {
  /// An element of `pending_renewal_info`.
  ///
  /// - Parameters:
  ///   - latest: the account's newest transaction of the subscription.
  ///   - renewal: nil if an earlier version of the store sold the transaction. Such a subscription does not renew.
  static func pending(
    _ latest: TransactionRecord, _ renewal: RenewalRecord?, at date: StoreDate
  ) -> [String: String] {
    var fields = [
      "original_transaction_id": latest.originalTransactionID.rawValue, "product_id": latest.productID.rawValue,
      "auto_renew_product_id": (renewal?.renewalProductID ?? latest.productID).rawValue,
      "auto_renew_status": renewal?.isAutoRenewOn == true ? "1" : "0",
    ]
    guard let renewal else {
      if !latest.isActive(at: date) { fields["expiration_intent"] = "1" }
      return fields
    }
    switch renewal.state {
    case .active: break
    case .gracePeriod:
      fields["is_in_billing_retry_period"] = "1"
      if let end = renewal.gracePeriodEnd {
        DateTrio(end).put(.gracePeriod) { fields["\($0)"] = $1 }
      }
    case .billingRetry:
      fields["is_in_billing_retry_period"] = "1"
      fields["expiration_intent"] = String(RenewalRecord.ExpirationReason.billingError.rawValue)
    case .expired:
      let reason = renewal.expirationReason ?? .cancelled
      fields["expiration_intent"] = String(reason.rawValue)
      if reason == .billingError { fields["is_in_billing_retry_period"] = "0" }
    case .revoked:
      // Apple documents no `expiration_intent` for a refund. This is the value for a cancellation by the customer.
      fields["expiration_intent"] = String(RenewalRecord.ExpirationReason.cancelled.rawValue)
    }
    if let increase = renewal.priceIncrease {
      let status = increase.isAgreed ? "1" : "0"
      if increase.needsConsent { fields["price_consent_status"] = status }
      fields["price_increase_status"] = status
    }
    return fields
  }
}
