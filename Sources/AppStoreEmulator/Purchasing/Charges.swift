import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var charges: Charges { Charges(work: self) }
}

/// Makes charged transactions, and records refunds of charges.
struct Charges {
  let work: StoreUnitOfWork

  /// Stores the transaction and the charge of a subscription period after the first.
  ///
  /// - Parameter previous: the transaction of the previous period. The new transaction is delivered to the same
  ///   installation if the owner is signed in there; otherwise to the first of the owner's installations that requests
  ///   it.
  func charge(_ charge: PeriodCharge, after previous: StoredTransaction) throws -> StoredTransaction {
    let record = previous.record
    guard let customer = try work.customers.find(previous.account, record.environment)?.customer else {
      throw StoreRefusal(.accountGone, "The account \(previous.account) was deleted. Nothing was charged.")
    }
    var sale = Sale(
      scope: Scope(previous), productID: charge.productID, type: record.type, storefront: try customer.storefront,
      price: charge.price, date: charge.start)
    sale.reason = charge.reason
    sale.applicationUsername = record.applicationUsername
    sale.serverAccountToken = record.serverAccountToken
    sale.installationID = try installationOfOwner(previous)
    sale.period = Sale.Period(charge, in: record.subscriptionGroupID, after: record)
    return try make(sale)
  }

  /// The installation to which a transaction was delivered, if its owner is signed in there.
  private func installationOfOwner(_ stored: StoredTransaction) throws -> InstallationID? {
    guard let installation = stored.installationID else { return nil }
    let statement = try work.database.cachedStatement(sql: "SELECT account FROM installation WHERE installationID = ?")
    return try String.fetchOne(statement, arguments: [installation.rawValue]) == stored.account.rawValue
      ? installation : nil
  }

  /// Stores a transaction and its charge, and shares it with the customer's family.
  func make(_ sale: Sale) throws -> StoredTransaction {
    try work.prepareForCharge()
    let (sequence, id) = try work.takeTransactionNumber()
    let (identity, scope) = (work.identity, sale.scope)
    var record = TransactionRecord(
      environment: scope.environment, bundleID: scope.bundleID, transactionID: id,
      originalTransactionID: sale.period?.original ?? id, productID: sale.productID, type: sale.type,
      purchaseDate: sale.date, originalPurchaseDate: sale.period?.originalDate ?? sale.date, quantity: sale.quantity,
      price: sale.price.amount, currency: sale.price.currency,
      storefrontCountryCode: sale.storefront.countryCode, storefrontID: sale.storefront.identifier,
      reason: sale.reason, appTransactionID: identity.appTransactionID(of: scope))
    record.itemID = scope.environment == .production ? identity.itemID(sale.productID, of: scope.bundleID) : 0
    if let period = sale.period { record.take(period, webOrderLineItemID: identity.webOrderLineItemID(of: id)) }
    record.applicationUsername = sale.applicationUsername
    record.appAccountToken =
      sale.serverAccountToken ?? TransactionRecord.accountToken(of: sale.applicationUsername)
    record.revision = try Revisions.take(work.database)
    let stored = StoredTransaction(
      sequence: sequence, record: record, account: scope.account, installationID: sale.installationID,
      paymentID: sale.paymentID, finishedDate: nil)
    try stored.insert(work.database)
    // A free product has no charge.
    if sale.price.amount > .zero {
      try Charge(
        transactionID: id, orderID: identity.orderID(of: id), environment: scope.environment, account: scope.account,
        bundleID: scope.bundleID, productID: sale.productID, amount: sale.price.amount, currency: sale.price.currency,
        date: sale.date
      ).insert(work.database)
    }
    try work.familySharing.share(stored, begins: true)
    // After the events of the family's shares, because the changes of devices are numbered in this order.
    try work.events.record(.added(stored))
    return stored
  }

  /// Records the refund of a share of a transaction's price, rounded down to the currency's smallest unit.
  ///
  /// - Parameter share: in thousandths of a percent.
  /// - Returns: the number of its row; nil if nothing is refunded, so that there is no row.
  func refund(share: Int, of stored: StoredTransaction) throws -> Int64? {
    try refund(stored.record.price.share(share, in: Currency(stored.record.currency)), of: stored)
  }

  /// Records a refund, or its reversal as a negative amount.
  ///
  /// - Returns: the number of its row; nil if the amount is zero, so that there is no row.
  func refund(_ amount: Milliunits, of stored: StoredTransaction) throws -> Int64? {
    guard amount != .zero else { return nil }
    try Refund(of: stored, amount: amount, date: work.now.wholeSeconds).insert(work.database)
    return work.database.lastInsertedRowID
  }
}

extension Milliunits {
  /// Returns a share of this amount, rounded towards zero to a multiple of the smallest unit of `currency`. A share of
  /// 100 percent is not rounded, because earlier versions charged unrounded amounts.
  ///
  /// - Parameter percentage: the share in thousandths of a percent.
  fileprivate func share(_ percentage: Int, in currency: Currency) -> Milliunits {
    guard percentage != Percentage.whole else { return self }
    let share = Percentage.share(percentage, of: rawValue)
    return Milliunits(share - share % currency.smallestUnit.rawValue)
  }
}

/// The values from which a transaction is made.
struct Sale {
  /// A subscription's period.
  struct Period {
    let groupID: SubscriptionGroupID?
    let end: StoreDate
    /// The first transaction of the subscription; nil if this period is the first.
    let original: TransactionID?
    let originalDate: StoreDate?
    /// The offer that set the price.
    let offer: SubscriptionOffer?

    /// - Parameter earlier: an earlier period of the subscription; nil if this period is the first.
    init(_ charge: PeriodCharge, in groupID: SubscriptionGroupID?, after earlier: TransactionRecord?) {
      (self.groupID, end, offer) = (groupID, charge.end, charge.offer)
      (original, originalDate) = (earlier?.originalTransactionID, earlier?.originalPurchaseDate)
    }
  }

  let scope: Scope
  let productID: ProductID
  let type: ProductType
  let storefront: Territory
  /// The whole charge.
  let price: Price
  let date: StoreDate
  var quantity = 1
  var reason = TransactionReason.purchase
  var applicationUsername: String?
  /// The token that the developer's server has set for the subscription; nil if it has set none.
  var serverAccountToken: UUID?
  var installationID: InstallationID?
  var paymentID: PaymentID?
  var period: Period?
}

extension TransactionRecord {
  fileprivate mutating func take(_ period: Sale.Period, webOrderLineItemID id: String) {
    subscriptionGroupID = period.groupID
    expiresDate = period.end
    webOrderLineItemID = id
    guard let offer = period.offer else { return }
    offerType = TransactionOfferType(offer.kind)
    offerIdentifier = offer.identifier
    offerDiscountType = OfferDiscountType(offer.paymentMode)
    offerPeriod = offer.period
  }
}
