import StoreModel

/// Selects requests of the journal. A nil property matches all requests.
public struct RequestFilter: Hashable, Sendable {
  public var kind: RequestKind?
  public var installationID: InstallationID?
  public var environment: StoreEnvironment?
  public var bundleID: BundleID?
  public var customer: AccountName?
  public var productID: ProductID?
  public var paymentID: PaymentID?
  public var transactionID: TransactionID?
  public var outcome: RequestOutcome.Name?
  /// The fault that applied to the request.
  public var faultID: FaultID?
  /// Selects only requests with a larger number.
  public var after: Int64?

  public init(
    _ kind: RequestKind? = nil, installationID: InstallationID? = nil, environment: StoreEnvironment? = nil,
    bundleID: BundleID? = nil, customer: AccountName? = nil, productID: ProductID? = nil, paymentID: PaymentID? = nil,
    transactionID: TransactionID? = nil, outcome: RequestOutcome.Name? = nil, faultID: FaultID? = nil,
    after: Int64? = nil
  ) {
    self.kind = kind
    self.installationID = installationID
    self.environment = environment
    self.bundleID = bundleID
    self.customer = customer
    self.productID = productID
    self.paymentID = paymentID
    self.transactionID = transactionID
    self.outcome = outcome
    self.faultID = faultID
    self.after = after
  }

  public func admits(_ request: JournaledRequest) -> Bool {
    func fits<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
    let metadata = request.metadata
    return fits(kind, metadata.kind) && fits(installationID, metadata.installationID)
      && fits(environment, metadata.environment) && fits(bundleID, metadata.bundleID)
      && fits(customer, metadata.customer)
      && fits(paymentID, metadata.paymentID) && fits(transactionID, metadata.transactionID)
      && fits(outcome, request.outcome.name) && fits(faultID, request.fault?.id)
      && productID.map(metadata.productIDs.contains) ?? true && after.map { request.sequence > $0 } ?? true
  }
}
