import StoreModel

/// Thrown when a request of the emulator's operator is refused, or when the emulator itself fails.
public enum AppStoreEmulatorError: DescribedError, Hashable, Sendable {
  /// The database has no `store` row, so this software did not make it.
  case storeNotCreated
  /// - Parameter known: apps of the store; eleven if there are more than ten.
  case unknownApp(BundleID, known: [BundleID])
  case unknownCustomer(AccountName, StoreEnvironment)
  case customerExists(AccountName, StoreEnvironment)
  /// The family has the maximum number of members.
  case familyFull(String)
  case unknownStorefront(String)
  /// The text is not a language with an optional script and region.
  case invalidLocale(String)
  case unknownInstallation(InstallationID)
  /// No payment with that id waits for approval on that installation.
  case noSuchApproval(InstallationID, PaymentID)
  case environmentNotServed(StoreEnvironment)
  case emptyName(String)
  /// The app's configuration files define the product twice.
  case duplicateProduct(ProductID)
  /// The product is not in the app's catalog.
  case unknownProduct(ProductID, BundleID)
  /// The price is negative, or a trillion or more.
  case priceOutOfRange(Milliunits)
  /// The customer cannot be removed, because records of payments contain the name.
  case customerHasPurchases(AccountName, StoreEnvironment)
  /// The store's clock is already later than `date`.
  case clockNeverGoesBack(to: StoreDate, now: StoreDate)
  /// The date is outside of the validity of the certificates, or too near to its end.
  case dateOutsideCertificates(StoreDate)
  case clockRateOutOfRange(Double)
  /// The clock cannot move to the next event, because there is none.
  case nothingDue
  /// The snapshot cannot be restored. Nothing was changed.
  case unusableSnapshot(reason: String)
  /// The system has no data of the time zone America/Los_Angeles, which dates in receipts need.
  case noTimeZoneData
  /// The operator's seed is not the seed of the store. A store has the seed from its creation, or from the
  /// snapshot that was restored last.
  case otherSeed
  /// The epoch has no transaction numbers left.
  case epochExhausted
  /// There is no fault with that id.
  case unknownFault(FaultID)
  case faultExists(FaultID)
  /// The fault is invalid, for this reason.
  case impossibleFault(String)
  case tooManyFaults
  case unknownTransaction(TransactionID)
  /// The journal never had a request with that number, or no longer has the request.
  case unknownRequest(Int64)
  /// No subscription began with this transaction.
  case unknownSubscription(TransactionID)
  /// The change is not possible in the state of the subscription.
  case subscriptionNotChangeable(TransactionID, reason: String)
  /// The transaction cannot be refunded, or its refund cannot be reversed, for this reason.
  case notRefundable(TransactionID, String)
  /// The share of the price, in thousandths of a percent, is not from 1 to 100,000.
  case refundOutOfRange(Int)
  /// The transaction has no request for a refund with this number.
  case unknownRefundRequest(Int64)
  /// The customer's request for a refund cannot be made or decided, for this reason.
  case refundRequestImpossible(TransactionID, reason: String)
  /// There is no key of the Server API with this identifier.
  case unknownKey(String)
  /// The key of the Server API cannot be removed, because every store has it.
  case keyNotRemovable(String)
  case tooManyKeys
  /// The length of a grace period in seconds.
  case gracePeriodOutOfRange(Int64)
  /// Notifications cannot be sent to this address, for this reason.
  case invalidNotificationURL(String, reason: String)
  /// There is no notification with that UUID, or it was removed after 180 days.
  case unknownNotification(String)
  /// The app has no address for notifications of this environment.
  case noNotificationURL(BundleID, StoreEnvironment)
  /// No notification of this type can be sent, for this reason.
  case impossibleNotification(reason: String)
  /// Attempts that are due were not made in the given time.
  case notificationsNotSettled(waiting: Int)

  /// The list has no such position: the element was removed, or the text is not `next` of a page.
  case unknownPage

  /// The first ten bundle ids of a list.
  package static func names(of known: [BundleID]) -> String {
    known.prefix(10).map(\.rawValue).joined(separator: ", ") + (known.count > 10 ? " and others" : "")
  }

  public var description: String {
    switch self {
    case .storeNotCreated:
      "This is not a store's database. Choose another data folder."
    case .unknownApp(let bundleID, let known):
      "No app \(bundleID) in this store. It serves \(Self.names(of: known)); "
        + "start it with --bundle-id \(bundleID), or set OPENSTOREKIT_BUNDLE_ID."
    case .unknownPage:
      "The list has no page that begins there. Begin with the first page."
    case .unknownCustomer(let name, let environment):
      "There is no customer “\(name)” in \(environment.rawValue). Create one through the control API first."
    case .customerExists(let name, let environment):
      "There is a customer “\(name)” in \(environment.rawValue) already."
    case .familyFull(let family):
      "The family \(family) is full. A family has at most six members: the organizer and five others. "
        + "Remove a member first, or choose another family."
    case .unknownStorefront(let code):
      "\(code) is not a storefront known here. Use a code of three letters, such as USA, DEU or JPN."
    case .invalidLocale(let locale):
      "\(locale.prefix(80)) is not a locale. Use a language, and optionally a script and a region, such as de, de_DE or zh_Hant_TW."
    case .unknownInstallation(let installation):
      "No installation \(installation) has registered."
    case .noSuchApproval(let installation, let payment):
      "Payment \(payment) of installation \(installation) does not wait for approval. The control API lists those that do."
    case .environmentNotServed(let environment):
      "No server issues \(environment.rawValue) purchases. Use Production or Sandbox."
    case .emptyName(let what):
      "The \(what) must not be empty."
    case .duplicateProduct(let product):
      "\(product) is defined twice for the same app. Keep one of them."
    case .unknownProduct(let product, let bundleID):
      "\(bundleID) has no product \(product) in its catalog."
    case .priceOutOfRange(let price):
      "\(price.rawValue) is no price. A price is from 0 to less than a trillion, in thousandths of the currency's unit."
    case .customerHasPurchases(let name, let environment):
      "\(name) in \(environment.rawValue) has purchases or payments, and stays. "
        + "To remove all customers and purchases, reset the store."
    case .clockNeverGoesBack(let date, let now):
      "The store's clock cannot go back to \(date): it is \(now) there, and dates that are stored stay. Choose a later date."
    case .dateOutsideCertificates(let date):
      "The store has no date \(date): its dates are from \(StoreClock.dates.lowerBound) to "
        + "\(StoreClock.dates.upperBound), because its certificates are made for 2014 to 2063."
    case .clockRateOutOfRange(let rate):
      "The clock's rate is from 0 to \(Int(StoreClock.rates.upperBound)) store seconds a second, not \(rate)."
    case .nothingDue:
      "Nothing is due: no subscription renews or expires, and no payment waits. Move the clock by a time span or to a date."
    case .unusableSnapshot(let reason):
      "The snapshot cannot be restored: \(reason). Nothing was changed."
    case .noTimeZoneData:
      "The system has no time zone data. Install it: on Debian, apt-get install tzdata."
    case .otherSeed:
      "The store in this folder has another seed, from its creation or a snapshot. Leave --seed out, or choose a new folder."
    case .epochExhausted:
      "This store has made all the transactions it can number. Start one with a new data folder."
    case .unknownFault(let id):
      "No fault \(id) is set."
    case .faultExists(let id):
      "A fault \(id) is set already. Remove it first, or give another id."
    case .impossibleFault(let problem):
      "There can be no such fault. \(problem)"
    case .tooManyFaults:
      "\(FaultID.maximumCount) faults are set. Remove some first."
    case .unknownSubscription(let id):
      "No subscription began with transaction \(id). Take the originalTransactionId of a subscription's transaction."
    case .subscriptionNotChangeable(let id, let reason): "Subscription \(id) cannot be changed: \(reason)."
    case .unknownTransaction(let id):
      "There is no transaction \(id) in this store."
    case .unknownRequest(let sequence):
      "The journal has no request \(sequence). It keeps the newest requests until it is emptied."
    case .notRefundable(let id, let reason):
      "The refund of transaction \(id) is not possible: \(reason)."
    case .refundOutOfRange(let percentage):
      "A refund is from 1 to 100000 thousandths of a percent of the price, not \(percentage)."
    case .unknownRefundRequest(let number):
      "The transaction has no refund request \(number)."
    case .refundRequestImpossible(let id, let reason):
      "The refund request of transaction \(id) is not possible: \(reason)."
    case .unknownKey(let id):
      "There is no key \(id.prefix(80)) for tokens of the App Store Server API."
    case .keyNotRemovable(let id):
      "The key \(id) cannot be removed: it is the store's own. Add another key, and remove that one."
    case .tooManyKeys:
      "The store has 100 keys for tokens of the App Store Server API. Remove some first."
    case .invalidNotificationURL(let url, let reason):
      "Notifications cannot be sent to \(url.prefix(200)): \(reason). Use a URL such as http://127.0.0.1:8000/notifications."
    case .unknownNotification(let uuid):
      "There is no notification \(uuid.prefix(80)). Notifications are kept for 180 days of the store."
    case .noNotificationURL(let bundleID, let environment):
      "\(bundleID) has no address for notifications in \(environment.rawValue). Set one with --notification-url, "
        + "or with PUT /control/v1/apps/\(bundleID)/notificationURLs."
    case .impossibleNotification(let reason): "The notification cannot be sent: \(reason)."
    case .notificationsNotSettled(let waiting):
      "\(waiting) notifications that are due were not sent in time. Wait longer, or look at their attempts."
    case .gracePeriodOutOfRange(let seconds):
      "A grace period lasts from 1 to \(RenewalRules.graceSeconds.upperBound) seconds, not \(seconds)."
    }
  }
}
