import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var charges: Charges { Charges(work: self) }
}

/// Makes charged transactions.
struct Charges {
  let work: StoreUnitOfWork

  /// Stores the transaction and the charge of a quote, and shares the purchase with the customer's family.
  ///
  /// - Parameter installationID: the installation to which the transaction is delivered; nil for the first installation
  ///   that asks.
  /// - Throws: ``StoreRefusal`` if the product is not on sale, or if the transaction could not be signed.
  func charge(
    _ quote: PaymentQuote, _ scope: Scope, installationID: InstallationID?
  ) throws -> StoredTransaction {
    guard let product = try work.catalog.productOnSale(quote.payment.productID, of: scope.bundleID),
      let storefront = Storefront(countryCode: quote.storefrontCountryCode)
    else { throw StoreRefusal(.productNotAvailable, "\(quote.payment.productID) is not for sale.") }
    try work.authority.prepareForCharge(at: work.now)
    let (sequence, id) = try work.takeTransactionNumber()
    let identity = work.identity
    // Receipts have whole seconds, so every API shows the same instant.
    let now = work.now.wholeSeconds
    // A customer who subscribed to the group before continues that subscription.
    let first = try product.subscription.flatMap {
      try work.ownership(scope).subscriptions(in: $0.groupID).first { $0.sharedTransactionID == nil }?.record
    }
    var record = TransactionRecord(
      environment: scope.environment, bundleID: scope.bundleID, transactionID: id,
      originalTransactionID: first?.originalTransactionID ?? id, productID: product.productID, type: product.type,
      purchaseDate: now, originalPurchaseDate: first?.originalPurchaseDate ?? now, quantity: quote.payment.quantity,
      price: quote.total.amount, currency: quote.total.currency,
      storefrontCountryCode: storefront.countryCode, storefrontID: storefront.identifier, reason: .purchase,
      appTransactionID: identity.appTransactionID(of: scope))
    record.itemID = scope.environment == .production ? identity.itemID(product.productID, of: scope.bundleID) : 0
    record.begin(product.subscription, webOrderLineItemID: identity.webOrderLineItemID(of: id))
    record.applicationUsername = quote.payment.applicationUsername
    record.appAccountToken = quote.payment.applicationUsername.flatMap(UUID.init(uuidString:))
    let stored = StoredTransaction(
      sequence: sequence, record: record, account: scope.account, installationID: installationID,
      paymentID: quote.payment.paymentID.rawValue.isEmpty ? nil : quote.payment.paymentID, finishedDate: nil)
    try stored.insert(work.database)
    // A free product has no charge.
    if quote.total.amount > .zero {
      try Charge(
        transactionID: id, environment: scope.environment, account: scope.account, bundleID: scope.bundleID,
        productID: product.productID, amount: quote.total.amount, currency: quote.total.currency, date: now
      ).insert(work.database)
    }
    try work.familySharing.share(stored)
    return stored
  }
}

extension TransactionRecord {
  /// Begins a subscription's period at the purchase date.
  fileprivate mutating func begin(_ terms: SubscriptionTerms?, webOrderLineItemID id: String) {
    guard let terms else { return }
    subscriptionGroupID = terms.groupID
    expiresDate = terms.period.end(from: purchaseDate)
    webOrderLineItemID = id
  }
}
