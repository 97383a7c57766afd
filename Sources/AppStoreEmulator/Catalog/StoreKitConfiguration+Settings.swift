import StoreModel

extension StoreKitConfiguration {
  /// The settings of a configuration file's test store. Settings that the file does not have are nil, false or empty.
  public struct Settings: Hashable, Sendable {
    /// In a synced file: the Apple ID of its app, which is the app's number in App Store Connect.
    public var applicationInternalID: String?
    /// The team of the app from which a synced file was made.
    public var developerTeamID: String?
    /// The date of the last synchronization with App Store Connect; nil for a local file.
    public var lastSynchronizedDate: StoreDate?
    /// The locale of product texts, such as `en_US`.
    public var locale: String?
    /// The alpha-3 country code of the storefront, such as `USA`. It may be a code that the store does not support.
    public var storefront: String?
    /// The speed of subscription renewals: a raw value of `SKTestSession.TimeRate`; 0 is real time.
    ///
    /// It may also be a number that is not such a raw value.
    public var timeRate: Int?
    /// Whether purchases need a parent's approval (Ask to Buy).
    public var askToBuyEnabled = false
    /// Whether purchases are interrupted until the customer resolves an issue in the App Store.
    public var billingIssuesEnabled = false
    /// Whether the billing of renewals fails and is retried.
    public var renewalBillingIssuesEnabled = false
    /// Whether the customer keeps access for a grace period when the billing of a renewal fails.
    public var billingGracePeriodEnabled = false
    /// Whether purchases are made without a confirmation dialog.
    public var disableDialogs = false
    /// Whether every purchase fails with ``storeKitError``. Later versions of the file have ``simulatedErrors``
    /// instead.
    public var failTransactionsEnabled = false
    /// The `SKError` code of failing purchases while ``failTransactionsEnabled`` is set; 0 is `unknown`.
    public var storeKitError: Int?
    /// In the order of the file.
    public var simulatedErrors: [SimulatedError] = []

    public init() {}
  }

  /// An error that one API of StoreKit simulates.
  ///
  /// Apple does not publish which error `type` and `index` mean. Only enabled entries have an effect.
  public struct SimulatedError: Hashable, Sendable {
    /// The API, by its name in Xcode's editor, such as `Load Products`.
    public let name: String
    public let isEnabled: Bool
    /// The family of errors: `generic`, `purchase` or `verification`; nil if no error was chosen.
    public let type: String?
    /// The index within the family, from 0; nil if no error was chosen.
    public let index: Int?

    /// The APIs that can be made to fail, in the order of the file.
    public static let knownNames = [
      "Load Products", "Purchase", "Verification", "App Store Sync", "Subscription Status", "App Transaction",
      "Manage Subscriptions Sheet", "Refund Request Sheet", "Offer Code Redeem Sheet",
    ]

    public init(name: String, isEnabled: Bool, type: String? = nil, index: Int? = nil) {
      self.name = name
      self.isEnabled = isEnabled
      self.type = type
      self.index = index
    }
  }
}
