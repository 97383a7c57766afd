import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel

extension VerifiedProof {
  /// Creates what the store states in signed data about purchases of one customer, without a proof of the customer. It can be
  /// recorded (``Ledger/recordStatuses(from:)``).
  ///
  /// - Parameter id: a transaction id of the customer.
  init(_ statements: StoreStatements, about id: TransactionID, app: BundleID, environment: StoreEnvironment) {
    self.init(
      proof: .transactionID(id), app: app, environment: environment,
      statedDate: statements.newestDate, issuedDate: nil, purchases: statements.purchases,
      renewals: statements.renewals, isIssued: { _ in false })
  }
}

/// What the store has stated about purchases, in signed data. Of several statements about one purchase, the one with the latest
/// date of signing counts.
struct StoreStatements {
  /// In the order in which they were added first.
  private(set) var purchases: [ProvenPurchase] = []
  private var places: [TransactionID: Int] = [:]
  private var continuations: [TransactionID: SignedRenewalInfo] = [:]
  /// The latest date of signing; the start of 1970 if there is no statement.
  private(set) var newestDate = StoreDate(millisecondsSince1970: 0)
  /// The latest of the dates that must lie in the past.
  private(set) var latestPastDate = StoreDate(millisecondsSince1970: 0)
  /// The id that all transactions of one customer and app have; nil if it is missing, or if there are several.
  var appTransactionID: TransactionID? {
    appTransactionIDs.count == 1 ? appTransactionIDs.first.flatMap(TransactionID.init(rawValue:)) : nil
  }
  private var appTransactionIDs: Set<String> = []
  /// As ``VerifiedProof/redeliveries``.
  private(set) var redeliveries: [TransactionID: TransactionID] = [:]

  func purchase(_ id: TransactionID) -> ProvenPurchase? { places[id].map { purchases[$0] } }

  /// - Throws: ``ProofRefusal/unreadable(detail:)`` if a value is out of its range.
  mutating func add(_ transaction: SignedTransaction) throws(ProofRefusal) {
    var purchase = try ProvenPurchase(transaction)
    purchase.statedDate = transaction.signedDate
    note(transaction.signedDate)
    latestPastDate = max(
      latestPastDate, purchase.purchaseDate, purchase.originalPurchaseDate,
      purchase.revocation?.date ?? purchase.purchaseDate)
    if let id = transaction.appTransactionID { appTransactionIDs.insert(id) }
    if let place = places[purchase.transactionID] {
      if transaction.signedDate >= purchases[place].statedDate ?? transaction.signedDate { purchases[place] = purchase }
    } else {
      places[purchase.transactionID] = purchases.count
      purchases.append(purchase)
    }
  }

  /// Adds the answer about an id. If it is the id of a redelivery, the answer is the transaction that was delivered again.
  mutating func add(_ transaction: SignedTransaction, about id: TransactionID) throws(ProofRefusal) {
    try add(transaction)
    if transaction.transactionID != id { redeliveries[id] = transaction.transactionID }
  }

  private mutating func add(_ renewal: SignedRenewalInfo) {
    note(renewal.signedDate)
    let id = renewal.originalTransactionID
    if let known = continuations[id], known.signedDate > renewal.signedDate { return }
    continuations[id] = renewal
  }

  /// Adds the last period of a subscription, and how it continues.
  mutating func add(_ subscription: VerifiedSubscription) throws(ProofRefusal) {
    let (period, renewal) = (subscription.transaction.value, subscription.renewalInfo.value)
    try add(period)
    if renewal.originalTransactionID == period.originalTransactionID { add(renewal) }
  }

  private mutating func note(_ date: StoreDate) {
    newestDate = max(newestDate, date)
    latestPastDate = max(latestPastDate, date)
  }

  /// How the subscriptions continue after their last period, by original transaction.
  var renewals: [TransactionID: ProvenRenewal] {
    guard !continuations.isEmpty else { return [:] }
    var last: [TransactionID: ProvenPurchase] = [:]
    for purchase in purchases {
      if let known = last[purchase.originalTransactionID], known.purchaseDate > purchase.purchaseDate { continue }
      last[purchase.originalTransactionID] = purchase
    }
    var renewals: [TransactionID: ProvenRenewal] = [:]
    for (id, renewal) in continuations {
      guard let period = last[id] else { continue }
      renewals[id] = ProvenRenewal(renewal, after: period.transactionID)
    }
    return renewals
  }
}

extension ProvenRenewal {
  /// - Parameter lastPeriod: the transaction beside which the store has signed the renewal information.
  init(_ renewal: SignedRenewalInfo, after lastPeriod: TransactionID) {
    self.init(
      originalTransactionID: renewal.originalTransactionID, lastPeriod: lastPeriod,
      productID: renewal.autoRenewProductID ?? renewal.productID, isAutoRenewOn: renewal.autoRenewStatus == .on,
      isInBillingRetry: renewal.isInBillingRetryPeriod ?? false, gracePeriodEnd: renewal.gracePeriodExpiresDate,
      expirationIntent: renewal.rawExpirationIntent,
      priceIncrease: renewal.priceIncreaseStatus.map { Int64($0.rawValue) })
    statedDate = renewal.signedDate
  }
}
