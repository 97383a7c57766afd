/// The identifiers in a device's call, such as those of its product and payment. They never include a secret.
public struct CallSubject: Hashable, Sendable {
  public var environment: StoreEnvironment?
  public var bundleID: BundleID?
  /// The customer who signs in or pays; nil if the call does not contain a customer.
  public var account: AccountName?
  public var productIDs: [ProductID]
  public var paymentID: PaymentID?
  public var transactionID: TransactionID?

  public init(
    environment: StoreEnvironment? = nil, bundleID: BundleID? = nil, account: AccountName? = nil,
    productIDs: [ProductID] = [], paymentID: PaymentID? = nil, transactionID: TransactionID? = nil
  ) {
    self.environment = environment
    self.bundleID = bundleID
    self.account = account
    self.productIDs = productIDs
    self.paymentID = paymentID
    self.transactionID = transactionID
  }
}

extension StoreCall {
  public var subject: CallSubject { CallSubject() }
}

extension RegisterCall {
  public var subject: CallSubject {
    CallSubject(environment: registration.environment, bundleID: registration.bundleID)
  }
}

extension SignInCall {
  public var subject: CallSubject { CallSubject(account: credentials.account) }
}

extension ProductsCall {
  public var subject: CallSubject { CallSubject(productIDs: productIDs) }
}

extension QuoteCall {
  public var subject: CallSubject {
    CallSubject(productIDs: [payment.productID], paymentID: payment.paymentID)
  }
}

extension ConfirmCall {
  public var subject: CallSubject {
    CallSubject(
      account: quote.account, productIDs: [quote.payment.productID], paymentID: quote.payment.paymentID)
  }
}

extension ChangeSubscriptionCall {
  public var subject: CallSubject { CallSubject(transactionID: originalTransactionID) }
}

extension FinishCall {
  public var subject: CallSubject { CallSubject(transactionID: transactionID) }
}
