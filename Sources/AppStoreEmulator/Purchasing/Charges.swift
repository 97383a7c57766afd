import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var charges: Charges { Charges(work: self) }
}

/// Makes charged transactions.
struct Charges {
  let work: StoreUnitOfWork

  /// Stores the transaction and the charge of a quote, and shares the purchase with the customer's family. For a
  /// subscription, a new period begins: the first one, or the one of a restart or upgrade.
  ///
  /// - Parameter installationID: the installation to which the transaction is delivered. If nil, it is delivered to the
  ///   first installation that requests its unfinished transactions.
  /// - Throws: ``StoreRefusal`` if the product is not on sale, if the subscription has changed since the quote, or if the
  ///   transaction could not be signed.
  func charge(
    _ quote: PaymentQuote, _ scope: Scope, installationID: InstallationID?
  ) throws -> StoredTransaction {
    guard let product = try work.catalog.productOnSale(quote.payment.productID, of: scope.bundleID),
      let storefront = Territory(countryCode: quote.storefrontCountryCode)
    else { throw StoreRefusal(.productNotAvailable, "\(quote.payment.productID) is not for sale.") }
    var sale = Sale(
      scope: scope, productID: product.productID, type: product.type, storefront: storefront, price: quote.total,
      // Rounded down, because receipts contain whole seconds. All APIs then show the same date.
      date: work.now.wholeSeconds)
    sale.quantity = quote.payment.quantity
    sale.applicationUsername = quote.payment.applicationUsername
    sale.installationID = installationID
    sale.paymentID = quote.payment.paymentID.rawValue.isEmpty ? nil : quote.payment.paymentID
    guard let terms = product.subscription else { return try make(sale) }
    return try subscribe(to: terms, with: sale, unitPrice: quote.unitPrice, offer: quote.plan?.offer)
  }

  /// Stores the transaction and the charge of a subscription period after the first.
  ///
  /// - Parameter previous: the transaction of the previous period. The new transaction is delivered to the same
  ///   installation.
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
    sale.installationID = previous.installationID
    sale.period = Sale.Period(
      groupID: record.subscriptionGroupID, end: charge.end, original: record.originalTransactionID,
      originalDate: record.originalPurchaseDate, offer: charge.offer)
    return try make(sale)
  }

  /// Begins a subscription. If the customer already had one in the group, restarts or upgrades that one.
  private func subscribe(
    to terms: SubscriptionTerms, with sale: Sale, unitPrice: Price, offer: SubscriptionOffer?
  ) throws -> StoredTransaction {
    let plan = SubscriptionPlan(
      productID: sale.productID, level: terms.groupLevel, period: terms.period, price: unitPrice)
    let rules = try work.subscriptions.rules(of: sale.scope.bundleID)
    let earlier = try work.subscriptions.find(terms.groupID, of: sale.scope)
    var (state, effects): (Subscription, [SubscriptionEffect])
    if let earlier {
      state = earlier.state
      effects = try state.apply(.purchased(plan, offer: offer), at: sale.date, rules)
    } else {
      (state, effects) = Subscription.begin(plan, offer: offer, at: sale.date, rules)
    }
    var stored: StoredTransaction?
    for effect in effects {
      switch effect {
      case .charge(let charge):
        // Only the amount that the customer confirmed may be charged.
        guard charge.price == sale.price else { throw StoreRefusal.subscriptionChanged }
        stored = try begin(charge, in: terms.groupID, with: sale, after: earlier)
      case .upgradeCurrent(let share):
        guard let earlier else { throw StoreRefusal.subscriptionChanged }
        try work.refunds.endByUpgrade(earlier.currentTransactionID, refundedShare: share)
      case .extendCurrent: throw StoreRefusal.subscriptionChanged
      case .record: break
      }
    }
    guard let stored else { throw StoreRefusal.subscriptionChanged }
    var row =
      earlier
      ?? SubscriptionRow(
        state, of: sale.scope, in: terms.groupID, original: stored.record.originalTransactionID,
        current: stored.record.transactionID)
    row.change(to: state)
    row.currentTransactionID = stored.record.transactionID
    try work.subscriptions.store(row, effects)
    return stored
  }

  /// Stores the transaction of the period that begins with a purchase. If the customer had earlier periods in the
  /// group, the new transaction has their original transaction id.
  private func begin(
    _ charge: PeriodCharge, in groupID: SubscriptionGroupID, with sale: Sale, after earlier: SubscriptionRow?
  ) throws -> StoredTransaction {
    // Periods that an earlier version of the store sold have no `subscription` row, but their original transaction id
    // is used.
    let first =
      try earlier.map { try work.fulfilments.transaction($0.originalTransactionID).record }
      ?? work.ownership(sale.scope).newestPurchase(in: groupID)?.record
    var sale = sale
    sale.period = Sale.Period(
      groupID: groupID, end: charge.end, original: first?.originalTransactionID,
      originalDate: first?.originalPurchaseDate, offer: charge.offer)
    return try make(sale)
  }

  /// Stores a transaction and its charge, and shares it with the customer's family.
  private func make(_ sale: Sale) throws -> StoredTransaction {
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
    record.appAccountToken = sale.applicationUsername.flatMap(UUID.init(uuidString:))
    let stored = StoredTransaction(
      sequence: sequence, record: record, account: scope.account, installationID: sale.installationID,
      paymentID: sale.paymentID, finishedDate: nil)
    try stored.insert(work.database)
    // A free product has no charge.
    if sale.price.amount > .zero {
      try Charge(
        transactionID: id, environment: scope.environment, account: scope.account, bundleID: scope.bundleID,
        productID: sale.productID, amount: sale.price.amount, currency: sale.price.currency, date: sale.date
      ).insert(work.database)
    }
    try work.familySharing.share(stored)
    return stored
  }
}

/// The values from which a transaction is made.
private struct Sale {
  /// A subscription's period.
  struct Period {
    let groupID: SubscriptionGroupID?
    let end: StoreDate
    /// The first transaction of the subscription; nil if this period is the first.
    let original: TransactionID?
    let originalDate: StoreDate?
    /// The offer that set the price.
    let offer: SubscriptionOffer?
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

extension TransactionOfferType {
  fileprivate init(_ kind: SubscriptionOffer.Kind) {
    self =
      switch kind {
      case .introductory: .introductory
      case .promotional: .promotional
      case .offerCode: .offerCode
      case .winBack: .winBack
      }
  }
}

extension OfferDiscountType {
  fileprivate init(_ mode: SubscriptionOffer.PaymentMode) {
    self =
      switch mode {
      case .freeTrial: .freeTrial
      case .payAsYouGo: .payAsYouGo
      case .payUpFront: .payUpFront
      }
  }
}
