import StoreModel

extension StoreKitConfiguration {
  /// How the test store of a configuration file behaves. Whatever the file leaves out is nil, false or empty.
  public struct Settings: Hashable, Sendable {
    /// The App Store's number for the app a synced file comes from.
    public var applicationInternalID: String?
    /// The team of the app a synced file comes from.
    public var developerTeamID: String?
    /// When the file was last filled from App Store Connect; nil for a local file.
    public var lastSynchronizedDate: StoreDate?
    /// The locale of product texts, such as `en_US`.
    public var locale: String?
    /// The alpha-3 country code of the storefront, such as `USA`. It need not be one the store knows.
    public var storefront: String?
    /// How fast subscriptions renew: a raw value of `SKTestSession.TimeRate`, 0 being real time.
    ///
    /// It need not be one that is defined.
    public var timeRate: Int?
    /// Whether purchases wait for a parent's approval.
    public var askToBuyEnabled = false
    /// Whether purchases are interrupted until the customer settles something with the store.
    public var billingIssuesEnabled = false
    /// Whether renewals fail to be billed and are tried again.
    public var renewalBillingIssuesEnabled = false
    /// Whether access continues for a while when a renewal fails to be billed.
    public var billingGracePeriodEnabled = false
    /// Whether purchases go through without asking the customer.
    public var disableDialogs = false
    /// Whether every purchase fails, with ``storeKitError``. Replaced by ``simulatedErrors`` in later versions.
    public var failTransactionsEnabled = false
    /// The `SKError` code that purchases fail with while ``failTransactionsEnabled`` is set; 0 is unknown.
    public var storeKitError: Int?
    /// In the order of the file.
    public var simulatedErrors: [SimulatedError] = []

    public init() {}
  }

  /// An error that one part of StoreKit is to answer with.
  ///
  /// Which error `type` and `index` stand for is not published; only entries that are enabled matter.
  public struct SimulatedError: Hashable, Sendable {
    /// The part of StoreKit, as Xcode's editor calls it, such as `Load Products`.
    public let name: String
    public let isEnabled: Bool
    /// The family of errors: `generic`, `purchase` or `verification`; nil when none was chosen.
    public let type: String?
    /// The position within the family, from 0; nil when none was chosen.
    public let index: Int?

    /// The parts of StoreKit that can be made to fail, in the order of the file.
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
