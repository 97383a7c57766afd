import AppStoreServerAPI
import GRDB
import SignedData
import StoreModel

extension StoreUnitOfWork {
  /// The signed renewal information of a subscription.
  ///
  /// - Parameters:
  ///   - row: the subscription; for a family share, the purchaser's.
  ///   - stored: the transaction beside which it is sent: a period of the subscription, or a share of one.
  func renewalInfo(
    of row: SubscriptionRow, for stored: StoredTransaction, signedDate: StoreDate
  ) throws -> SignedRenewalInfo {
    var info = SignedRenewalInfo(
      record: RenewalRecord(row),
      nextPrice: row.state.isAutoRenewOn ? try plans.next(of: row).map(row.state.priceOfNotice) : nil,
      signedDate: signedDate)
    info.originalTransactionID = stored.record.originalTransactionID
    info.appTransactionID = stored.record.appTransactionID
    info.appAccountToken = stored.record.appAccountToken
    info.recentSubscriptionStartDate = try recentStart(of: stored)
    if row.state.state == .billingRetry { info.gracePeriodExpiresDate = try endOfGracePeriod(before: row) }
    if stored.sharedTransactionID != nil {
      (info.renewalPrice, info.currency) = (nil, nil)
      // After the revocation, no period follows for the member.
      let isRevoked = stored.record.revocationDate != nil
      if isRevoked || !isLastShare(stored, of: row) {
        info.rawAutoRenewStatus = AutoRenewStatus.off.rawValue64
        (info.rawOfferType, info.offerIdentifier) = (nil, nil)
        (info.rawOfferDiscountType, info.rawOfferPeriod) = (nil, nil)
      }
      if !isRevoked, !isLastShare(stored, of: row) { info.end(at: stored.record.expiresDate) }
    } else {
      let offers = try offers.winBackOffers(row).compactMap(\.offer.identifier)
      info.eligibleWinBackOfferIDs = offers.isEmpty ? nil : offers
    }
    return info
  }

  /// Whether a share is of the last period of the purchaser's subscription. Other shares have ended, whatever that subscription
  /// does, such as for a customer who left the family after the period.
  func isLastShare(_ share: StoredTransaction, of row: SubscriptionRow) -> Bool {
    row.currentTransactionID == share.sharedTransactionID
  }

  /// The status of a subscription for the owner of a transaction: of a period, or of a share of one.
  func subscriptionStatus(of row: SubscriptionRow, for stored: StoredTransaction) -> SubscriptionStatus {
    stored.sharedTransactionID != nil && stored.record.revocationDate != nil
      ? .revoked : SubscriptionStatus(row.state.state)
  }

  /// The subscription to which a period, or the share of one, belongs; nil for other transactions, and for periods that an earlier
  /// version of the store sold.
  func subscription(of stored: StoredTransaction) throws -> SubscriptionRow? {
    guard stored.record.type == .autoRenewableSubscription else { return nil }
    guard let purchase = stored.sharedTransactionID else { return try subscriptions.find(stored.record) }
    return try subscriptions.find(storedTransaction(purchase).record)
  }

  /// The start of the latest run of periods without a long gap, by the dates of their transactions.
  private func recentStart(of stored: StoredTransaction) throws -> StoreDate? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT max(purchaseDate) FROM (
          SELECT purchaseDate,
            purchaseDate - max(coalesce(revocationDate, expiresDate)) OVER (
              ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
          FROM transactionRecord WHERE originalTransactionID = ?)
        WHERE gap IS NULL OR gap > ?
        """)
    let milliseconds = try Int64.fetchOne(
      statement,
      arguments: [
        stored.record.originalTransactionID.rawValue, Self.longestGap(in: stored.record.environment),
      ])
    return milliseconds.map(StoreDate.init(millisecondsSince1970:))
  }

  /// The longest gap between two periods of one run, in milliseconds: 60 days, in the sandbox 10 minutes.
  private static func longestGap(in environment: StoreEnvironment) -> Int64 {
    environment == .production ? 60 * 86_400_000 : 600_000
  }

  /// The end of the grace period before the present billing retry; nil if there was none.
  private func endOfGracePeriod(before row: SubscriptionRow) throws -> StoreDate? {
    let milliseconds = try Int64.fetchOne(
      database,
      sql: """
        SELECT date FROM subscriptionStep WHERE originalTransactionID = ? AND step = ? AND date >= ?
        ORDER BY sequence DESC LIMIT 1
        """,
      arguments: [
        row.originalTransactionID.rawValue, SubscriptionStep.gracePeriodEnded.rawValue,
        row.state.period.end.millisecondsSince1970,
      ])
    return milliseconds.map(StoreDate.init(millisecondsSince1970:))
  }
}

extension SignedRenewalInfo {
  /// Changes the information to that of a share that has ended while the purchaser's subscription went on. A device then
  /// derives the same status from it as the Server API states. The reason is that of `verifyReceipt`.
  fileprivate mutating func end(at date: StoreDate?) {
    renewalDate = date
    rawExpirationIntent = ExpirationIntent.customerCancelled.rawValue64
    isInBillingRetryPeriod = false
    (gracePeriodExpiresDate, rawPriceIncreaseStatus) = (nil, nil)
  }
}

extension ExpirationIntent {
  fileprivate var rawValue64: Int64 { Int64(rawValue) }
}

extension AutoRenewStatus {
  fileprivate var rawValue64: Int64 { Int64(rawValue) }
}
