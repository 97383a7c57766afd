import StoreModel

/// What is known of a request before it is looked at closely: enough for faults to choose by and for the journal to keep.
public struct RequestFacts: Hashable, Sendable {
  public let kind: RequestKind
  public var installationID: InstallationID?
  public var environment: StoreEnvironment?
  /// Of `verifyReceipt`, once it was answered: the app of the receipt.
  public var bundleID: BundleID?
  /// Who pays, for a confirmation; who signs in, for a sign-in; otherwise who is signed in.
  public var customer: AccountName?
  public var productIDs: [ProductID]
  public var paymentID: PaymentID?
  public var transactionID: TransactionID?

  public init(
    _ kind: RequestKind, installationID: InstallationID? = nil, environment: StoreEnvironment? = nil,
    bundleID: BundleID? = nil, customer: AccountName? = nil, productIDs: [ProductID] = [],
    paymentID: PaymentID? = nil, transactionID: TransactionID? = nil
  ) {
    self.kind = kind
    self.installationID = installationID
    self.environment = environment
    self.bundleID = bundleID
    self.customer = customer
    self.productIDs = productIDs
    self.paymentID = paymentID
    self.transactionID = transactionID
  }

  /// The facts of a device's call.
  ///
  /// - Parameter scope: what the store knows of the installation. The call's own values come first.
  init(_ verb: DeviceDoor.Verb, _ subject: CallSubject, from installation: InstallationID, _ scope: InstallationScope?)
  {
    self.init(
      .device(verb), installationID: installation, environment: subject.environment ?? scope?.environment,
      bundleID: subject.bundleID ?? scope?.bundleID, customer: subject.account ?? scope?.account,
      productIDs: subject.productIDs, paymentID: subject.paymentID, transactionID: subject.transactionID)
  }
}
