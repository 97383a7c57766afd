import StoreModel

/// The properties of a request by which faults select it. The request journal stores them.
public struct RequestMetadata: Hashable, Sendable {
  public let kind: RequestKind
  public var installationID: InstallationID?
  public var environment: StoreEnvironment?
  /// For `verifyReceipt`: the receipt's app. It is nil until the request is answered, unless a fault's scope needs it.
  public var bundleID: BundleID?
  /// The account that pays (in a confirmation), signs in (in a sign-in), or is signed in (in other calls).
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
  /// - Parameter scope: the store's values for the installation. Values of the call itself take precedence.
  init(_ verb: DeviceAPI.Verb, _ subject: CallSubject, from installation: InstallationID, _ scope: InstallationScope?) {
    self.init(
      .device(verb), installationID: installation, environment: subject.environment ?? scope?.environment,
      bundleID: subject.bundleID ?? scope?.bundleID, customer: subject.account ?? scope?.account,
      productIDs: subject.productIDs, paymentID: subject.paymentID, transactionID: subject.transactionID)
  }

  /// The metadata of a backend's request.
  init(_ kind: RequestKind, _ subject: CallSubject, to environment: StoreEnvironment) {
    self.init(
      kind, environment: environment, bundleID: subject.bundleID, customer: subject.account,
      productIDs: subject.productIDs, paymentID: subject.paymentID, transactionID: subject.transactionID)
  }
}
