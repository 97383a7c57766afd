import StoreModel

/// What a request is about. The scopes of faults select requests by it, and the request journal keeps it.
public struct RequestMetadata: Hashable, Sendable {
  public let kind: RequestKind
  public var installationID: InstallationID?
  public var environment: StoreEnvironment?
  /// For `verifyReceipt`: the receipt's app, known once the request was answered.
  public var bundleID: BundleID?
  /// The account that pays (a confirmation), signs in (a sign-in), or is signed in (other calls).
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

  /// The metadata of a device's call.
  ///
  /// - Parameter scope: what the store knows of the installation. The call's own values come first.
  init(_ verb: DeviceAPI.Verb, _ subject: CallSubject, from installation: InstallationID, _ scope: InstallationScope?) {
    self.init(
      .device(verb), installationID: installation, environment: subject.environment ?? scope?.environment,
      bundleID: subject.bundleID ?? scope?.bundleID, customer: subject.account ?? scope?.account,
      productIDs: subject.productIDs, paymentID: subject.paymentID, transactionID: subject.transactionID)
  }
}
