import StoreModel

extension StoreUnitOfWork {
  var quotes: Quotes { Quotes(work: self) }
}

extension PaymentID {
  /// The id in the quote of a purchase that answers no payment of a device: one that the operator makes, or that the store
  /// makes up for. It is part of what a quote's code authenticates.
  static let noPayment: PaymentID = ""
}

extension PaymentRequest {
  /// The id of the device's payment; nil if there is none.
  var devicePaymentID: PaymentID? { paymentID == .noPayment ? nil : paymentID }
}

/// Makes and checks quotes: the current price of a product for a customer.
struct Quotes {
  let work: StoreUnitOfWork

  private var maker: QuoteMaker { QuoteMaker(key: work.quoteKey, epoch: work.epoch) }

  /// Makes the quote for a device's payment.
  ///
  /// - Parameters:
  ///   - account: the customer's account name.
  ///   - customer: the customer of that name; nil if there is none.
  /// - Throws: ``StoreRefusal``.
  func quote(
    _ payment: PaymentRequest, for account: AccountName, _ customer: StoredCustomer?, on installation: Installation
  ) throws -> PaymentQuote {
    guard payment.devicePaymentID != nil else { throw StoreRefusal(.paymentInvalid, "A payment needs an id.") }
    guard let customer else {
      throw StoreRefusal(.signInRequired, "There is no customer “\(account)” in this environment any more.")
    }
    try work.offerSignatures.check(payment, of: Scope(account, on: installation))
    return try quote(
      payment, for: customer, of: installation.bundleID, installationID: installation.installationID)
  }

  /// Makes the quote for a customer's purchase.
  ///
  /// - Throws: ``StoreRefusal``.
  func quote(
    _ payment: PaymentRequest, for customer: StoredCustomer, of bundleID: BundleID, installationID: InstallationID
  ) throws -> PaymentQuote {
    let product = try work.catalog.productOnSale(payment.productID, of: bundleID)
    let owner = customer.customer
    let scope = Scope(account: owner.name, bundleID: bundleID, environment: owner.environment)
    return try maker.quote(
      payment, product: product, customer: owner, number: customer.number, storefront: try owner.storefront,
      catalog: try work.catalog.app(bundleID).catalogDefaults, locale: work.settings.locale,
      plan: try product.flatMap { try work.planChanges.quote(payment, for: $0, of: scope) },
      installation: installationID)
  }

  /// The check of a quote that was confirmed on an installation.
  ///
  /// - Parameter customer: the number of the customer who has the quote's account name now; nil if there is none.
  func check(_ quote: PaymentQuote, of customer: CustomerNumber?, on installation: InstallationID) throws -> QuoteCheck
  {
    let owner = try maker.owner(of: quote, installation: installation)
    return QuoteCheck(
      quote: quote, epoch: work.epoch, isGenuine: owner != nil, isOfCustomer: owner?.isCustomer(customer) == true)
  }
}
