import Foundation
import SignedData
import StoreModel

/// The customer's transactions and the renewal information of their subscriptions, verified.
struct SignedRecords: Sendable {
  let transactions: [SignedTransaction]
  let renewals: [SignedRenewalInfo]

  /// The entitlements, one for each original transaction of a non-consumable or an auto-renewable subscription, by the
  /// rules for receipts: the newest period that was not revoked decides.
  ///
  /// The date of an entitlement is that of its newest signature. A refund, a renewal or a change of the renewal information
  /// is signed later than what it changes.
  var proven: ProvenEntitlements {
    let restorable = transactions.filter { $0.type == .nonConsumable || $0.type == .autoRenewableSubscription }
    let renewals = Dictionary(grouping: renewals, by: \.originalTransactionID)
      .compactMapValues { $0.max { $0.signedDate < $1.signedDate } }
    let entitlements = Dictionary(grouping: restorable, by: \.originalTransactionID)
      .compactMap { original, purchases in Self.entitlement(purchases, renewals[original]) }
      .sorted { $0.originalTransactionIdentifier < $1.originalTransactionIdentifier }
    let dates = transactions.map(\.signedDate) + renewals.values.map(\.signedDate)
    return ProvenEntitlements(entitlements: entitlements, asOf: dates.max()?.date ?? .distantPast)
  }

  private static func entitlement(_ purchases: [SignedTransaction], _ renewal: SignedRenewalInfo?) -> Entitlement? {
    let unrevoked = purchases.filter { $0.revocationDate == nil }
    let counting = unrevoked.isEmpty ? purchases : unrevoked
    guard let newest = counting.max(by: { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) })
    else { return nil }
    let dates = purchases.map(\.signedDate) + (renewal.map { [$0.signedDate] } ?? [])
    let grace =
      newest.revocationDate == nil && renewal?.isInBillingRetryPeriod == true
      ? renewal?.gracePeriodExpiresDate?.date : nil
    return Entitlement(
      originalTransactionIdentifier: newest.originalTransactionID.rawValue,
      productIdentifier: newest.productID.rawValue, purchaseDate: newest.originalPurchaseDate.date,
      expirationDate: newest.expiresDate?.date, gracePeriodExpirationDate: grace,
      revocationDate: newest.revocationDate?.date, asOf: dates.max()?.date)
  }
}
