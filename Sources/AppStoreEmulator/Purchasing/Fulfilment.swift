import GRDB
import StoreModel

extension StoreUnitOfWork {
  var fulfilments: Fulfilments { Fulfilments(work: self) }
}

/// The outcome of a payment: a charged transaction, or the redelivery of a transaction that the customer owned already.
struct Fulfilment: Sendable {
  let stored: StoredTransaction
  /// Nil if the payment was charged.
  var redelivery: Redelivery?

  /// The transaction id that StoreKit 1 shows.
  var transactionID: TransactionID { redelivery?.transactionID ?? stored.record.transactionID }
  /// Fulfilments are delivered in this order.
  var sequence: Int64 { redelivery?.sequence ?? stored.sequence }
}

/// Carries out confirmed payments, and looks up their fulfilments.
struct Fulfilments {
  let work: StoreUnitOfWork

  /// Charges a confirmed quote, or redelivers the product if the customer owns it already. If the plan begins with the
  /// next period, stores that choice and redelivers the current period. The caller stores the fulfilment as the
  /// payment's outcome in the same commit.
  ///
  /// - Parameter owned: the transaction by which the customer owns the product now; nil if there is none. The caller
  ///   must read it in the same unit of work.
  func fulfil(
    _ quote: PaymentQuote, for installation: Installation, owning owned: StoredTransaction?
  ) throws -> Fulfilment {
    let scope = Scope(quote.account, on: installation)
    let owned = quote.plan?.startDate == nil ? owned : try work.planChanges.choose(quote, for: scope)
    if let owned {
      let redelivery = try next(of: owned, answering: quote.payment, on: installation.installationID)
      try redelivery.insert(work.database)
      try work.events.record(.redelivered(redelivery, of: owned))
      return Fulfilment(stored: owned, redelivery: redelivery)
    }
    return Fulfilment(stored: try charge(quote, scope, installationID: installation.installationID))
  }

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
    sale.paymentID = quote.payment.devicePaymentID
    guard let terms = product.subscription else { return try work.charges.make(sale) }
    let plan = SubscriptionPlan(
      productID: product.productID, level: terms.groupLevel, period: terms.period, price: quote.unitPrice)
    return try work.subscriptionEffects.begin(plan, offer: quote.plan?.offer, in: terms.groupID, with: sale)
  }

  /// The fulfilment whose transaction id is `id`. It may be the id of a redelivery.
  func fulfilment(_ id: TransactionID) throws -> Fulfilment {
    if let redelivery = try Redelivery.lookUp(["transactionID": id.rawValue], in: work.database) {
      return Fulfilment(stored: try work.storedTransaction(redelivery.recordID), redelivery: redelivery)
    }
    return Fulfilment(stored: try work.storedTransaction(id))
  }

  /// The fulfilments that an installation has not finished, oldest first. The result includes revoked transactions, so
  /// the caller must omit those that are not ``TransactionRecord/isDeliverable``.
  ///
  /// - Parameter range: the sequence numbers of the fulfilments.
  func unfinished(
    on installationID: InstallationID, within range: UnfinishedCursor, limit: Int
  ) throws -> [Fulfilment] {
    func statement(_ table: String) throws -> Statement {
      try work.database.cachedStatement(
        sql: """
          SELECT * FROM \(table) WHERE installationID = ? AND finishedDate IS NULL AND sequence > ? AND sequence <= ?
          ORDER BY sequence LIMIT ?
          """)
    }
    let arguments: StatementArguments = [installationID.rawValue, range.after, range.through, limit]
    let records = try StoredTransaction.all(try statement("transactionRecord"), arguments: arguments)
    let redeliveries = try Redelivery.fetchAll(try statement("redelivery"), arguments: arguments)
    let fulfilments =
      records.map { Fulfilment(stored: $0) }
      + (try redeliveries.map { Fulfilment(stored: try work.storedTransaction($0.recordID), redelivery: $0) })
    return Array(fulfilments.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// Makes a redelivery of a transaction, with a new transaction id. Does not store it.
  func next(
    of stored: StoredTransaction, answering payment: PaymentRequest?, applicationUsername: String? = nil,
    on installation: InstallationID
  ) throws -> Redelivery {
    let (sequence, id) = try work.takeTransactionNumber()
    return Redelivery(
      sequence: sequence, transactionID: id, recordID: stored.record.transactionID, installationID: installation,
      paymentID: payment?.devicePaymentID,
      applicationUsername: payment?.applicationUsername ?? applicationUsername,
      // Receipts have whole seconds.
      date: work.now.wholeSeconds)
  }
}

extension Ownership {
  /// The transaction by which the customer already owns the product of a quote. It is redelivered instead of charged.
  /// Nil for a plan or an offer that begins with the next period, because such a purchase changes a subscription that
  /// the customer owns.
  func transaction(owning quote: PaymentQuote) throws -> StoredTransaction? {
    quote.plan?.startDate == nil ? try transaction(owning: quote.payment.productID) : nil
  }
}
