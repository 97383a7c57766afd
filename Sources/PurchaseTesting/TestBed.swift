import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel

/// A store in memory with one device on which the app runs: the core of a test session (`SKTestSession`).
///
/// All functions block the calling thread, and use no thread of Swift's concurrency pool. When a function returns, the records
/// of the store, the receipt and the lists of StoreKit 2 show its effect, and `Transaction.updates` has it.
///
/// ``store`` and ``device`` are those of the other face of the core: what they can do, a test session can, too.
/// Documentation/storekittest.md describes both.
public final class TestBed: Sendable {
  public let store: TestStore
  public let device: TestDevice
  private let state: LockedValue<State>

  private struct State: Sendable {
    var settings: TestBedSettings
    var configuration: StoreKitConfiguration
  }

  /// The bundle id of the app in test sessions: that of the main bundle, or the environment variable
  /// `OPENSTOREKIT_BUNDLE_ID`, or `com.example.StoreKitTest`.
  public static var bundleID: BundleID {
    let set = ProcessInfo.processInfo.environment["OPENSTOREKIT_BUNDLE_ID"]
    return BundleID(Bundle.main.bundleIdentifier ?? set ?? "com.example.StoreKitTest")
  }

  /// The store of the calling test: that of the task if its test has the trait `isolatedStore`, otherwise that of the process.
  /// It is made at the first call. It sells the products of `configuration` from now on, and its device is the current one.
  ///
  /// - Parameter environment: `.xcode` or `.sandbox`. If the store has the other one, a new store takes its place.
  /// - Throws: ``StoreKitDeviceError/isolationLost``; `AppStoreEmulatorError` if the store refuses the file.
  package static func ofTest(
    selling configuration: StoreKitConfiguration, environment: StoreEnvironment
  ) throws -> TestBed {
    let scope = try DeviceScope.current()
    let (bed, isNew) = try scope.attachment.withLock { attachment in
      if let bed = attachment as? TestBed, bed.store.environment == environment { return (bed, false) }
      let bed = try TestBed(configuration, environment: environment)
      attachment = bed
      return (bed, true)
    }
    bed.device.makeCurrent()
    if !isNew { try bed.sell(configuration) }
    return bed
  }

  private init(_ configuration: StoreKitConfiguration, environment: StoreEnvironment) throws {
    store = try TestStore(configuration, bundleID: Self.bundleID, environment: environment, serves: false)
    device = try TestDevice(store, customer: TestCustomer(), observesQueue: false, folder: nil)
    let settings = TestBedSettings(configuration.settings)
    state = LockedValue(State(settings: settings, configuration: configuration))
    // One commit, because many tests begin with a new store.
    let beginning = try records.begin(
      device.storeKit.registration, selling: [configuration], to: device.customer.account,
      renewalRules: settings.renewalRules, settings: { settings.change(&$0) }, customer: { settings.change(&$0) })
    try device.storeKit.begin(beginning.greeting, beginning.account, at: beginning.revision)
    if settings.failsPurchases { try failPurchases(settings.purchaseError) }
    simulateErrorsOfFile()
  }

  private var records: SynchronousStore { store.appStore.synchronous }

  /// Shows the device what has changed.
  private func takeIn() throws { try device.storeKit.takeIn(from: records) }

  /// Makes a change of the store, and shows it to the device.
  @discardableResult
  private func change<Value>(_ change: (SynchronousStore) throws -> Value) throws -> Value {
    let value = try change(records)
    try takeIn()
    return value
  }

  // MARK: The file and the settings

  /// Sells the products of another file, with its settings. Earlier purchases stay.
  private func sell(_ configuration: StoreKitConfiguration) throws {
    try records.serve(store.bundleID, catalog: [configuration])
    let before = state.withLock { state in
      let before = state.settings
      state = State(settings: TestBedSettings(configuration.settings), configuration: configuration)
      return before
    }
    try set(settings, instead: before, always: true)
    try takeIn()
    simulateErrorsOfFile()
  }

  /// The products that are sold, and the settings of the file.
  public var configuration: StoreKitConfiguration { state.withLock { $0.configuration } }

  public var settings: TestBedSettings { state.withLock { $0.settings } }

  /// Changes the settings.
  ///
  /// - Throws: `AppStoreEmulatorError` if the storefront or the locale is unknown, or the grace period is too long. Nothing is
  ///   changed then.
  public func changeSettings(_ change: (inout TestBedSettings) -> Void) throws {
    let before = settings
    var after = before
    change(&after)
    try set(after, instead: before)
    try takeIn()
    state.withLock { $0.settings = after }
  }

  /// Sets the settings and the simulated errors of the file again. Transactions stay.
  public func resetSettings() throws {
    let file = configuration.settings
    try changeSettings { $0 = TestBedSettings(file) }
    simulateErrorsOfFile()
  }

  private func simulateErrorsOfFile() {
    let errors = device.storeKit.simulatedErrors
    errors.removeAll()
    for error in configuration.settings.simulatedErrors where error.isEnabled { error.apply(to: errors) }
  }

  /// - Parameter always: whether to set the renewal rules also if they are the same, because the file has been served again.
  private func set(_ new: TestBedSettings, instead old: TestBedSettings, always: Bool = false) throws {
    if new.storefront != old.storefront || new.asksToBuy != old.asksToBuy
      || new.interruptsPurchases != old.interruptsPurchases
    {
      try records.changeCustomer(device.customer.account, store.environment, resumesPurchases: false) {
        new.change(&$0)
      }
    }
    if always || new.renewalRules != old.renewalRules {
      try records.setRenewalRules(new.renewalRules, of: store.bundleID)
    }
    if new.locale != old.locale { try records.changeSettings { new.change(&$0) } }
    if new.purchaseError != old.purchaseError { try failPurchases(new.purchaseError) }
  }

  private static let failedPurchases: FaultID = "failed purchases"

  private func failPurchases(_ error: AppError?) throws {
    if let error {
      _ = try store.appStore.set(Fault(AppErrorFault(error), id: Self.failedPurchases))
    } else {
      try? store.appStore.removeFault(Self.failedPurchases)
    }
  }

  /// The habits of Apple's store that are on. None by default. Setting them forgets what they have done.
  public var habits: Set<StoreHabit> {
    get { device.storeKit.habits.habits }
    set { device.storeKit.habits.habits = newValue }
  }

  // MARK: Records

  /// The transactions and the payments without a transaction, oldest first.
  public func transactions() throws -> [TestTransaction] {
    let subscriptions = try records.subscriptions(of: device.customer.account, in: store.environment)
    let byOriginal = Dictionary(uniqueKeysWithValues: subscriptions.map { ($0.originalTransactionID, $0) })
    let purchases = try records.allTransactions(of: store.bundleID).map { stored in
      TestTransaction(stored, subscription: byOriginal[stored.record.originalTransactionID])
    }
    let attempts = try records.attempts().map(TestTransaction.init)
    return (purchases + attempts).sorted { ($0.purchaseDate, $0.identifier) < ($1.purchaseDate, $1.identifier) }
  }

  /// Deletes all transactions and payments.
  public func deleteTransactions() throws {
    try records.deleteAll()
    try device.storeKit.forget(nil)
    try takeIn()
  }

  /// Deletes a transaction with its renewals, or a payment.
  ///
  /// - Throws: ``TestBedError/noTransaction(_:)``.
  public func delete(_ identifier: UInt64) throws {
    switch try record(identifier) {
    case .transaction(let id): try device.storeKit.forget(Set(try records.delete(id)))
    case .attempt(let attempt): try records.delete(attempt)
    }
    try takeIn()
  }

  /// The number of elements that wait for the iterators of `Transaction.updates`. So a test can check that nothing more comes.
  public var waitingUpdateCount: Int { device.storeKit.queuedUpdateCount }

  // MARK: Purchases

  /// Buys a product outside of the app.
  ///
  /// - Throws: ``TestBedError``, `StoreRefusal`.
  @discardableResult
  package func buy(_ productID: ProductID, _ purchase: OutsidePurchase = OutsidePurchase()) throws -> TransactionID {
    guard configuration.products.contains(where: { $0.productID == productID }) else {
      throw TestBedError.noProduct(productID)
    }
    if let date = purchase.date, date > store.appStore.clock.now { throw TestBedError.dateInFuture(date) }
    return try change { records in
      try records.purchase(
        productID, quantity: purchase.quantity, of: store.bundleID, for: device.customer.account,
        in: store.environment, applicationUsername: purchase.applicationUsername,
        installationID: device.storeKit.installationID, offer: purchase.offer, at: purchase.date,
        renews: purchase.renews)
    }.record.transactionID
  }

  /// Buys a product for a relative, who shares it with the customer. The first call puts both into one family.
  ///
  /// - Throws: ``TestBedError``, also if the file does not share the product.
  public func buyByRelative(_ productID: ProductID) throws {
    guard let product = configuration.products.first(where: { $0.productID == productID }) else {
      throw TestBedError.noProduct(productID)
    }
    guard product.isFamilyShareable else {
      throw TestBedError.notPossible("The file does not share \(productID.rawValue) with families (familyShareable).")
    }
    let environment = store.environment
    try change { records in
      if try records.customer(device.customer.account, environment).family == nil {
        let storefront = settings.storefront
        try records.addCustomer(
          Customer(
            environment: environment, name: Self.relative, storefrontCountryCode: storefront, family: Self.family))
        try records.changeCustomer(device.customer.account, environment, resumesPurchases: false) {
          $0.family = Self.family
        }
      }
      _ = try records.purchase(productID, of: store.bundleID, for: Self.relative, in: environment)
    }
  }

  private static let relative: AccountName = "relative"
  private static let family = "family"

  /// Refunds a transaction.
  ///
  /// - Throws: ``TestBedError``.
  public func refund(_ identifier: UInt64, reason: RevocationReason = .other) throws {
    guard case .transaction(let id) = try record(identifier) else {
      throw TestBedError.notPossible("The payment \(identifier) has no transaction that can be refunded.")
    }
    try change { try $0.refund(id, reason: reason) }
  }

  /// Approves or declines a payment that waits for approval.
  ///
  /// - Throws: ``TestBedError``.
  public func decideApproval(_ identifier: UInt64, isApproved: Bool) throws {
    guard case .attempt(let attempt) = try record(identifier), attempt.state == .waitsForApproval else {
      throw TestBedError.notPossible("\(identifier) does not wait for approval.")
    }
    try change {
      _ = try $0.decideApproval(of: attempt.payment.paymentID, on: attempt.installationID, isApproved: isApproved)
    }
  }

  /// Resolves the issue of an interrupted purchase, or of a subscription in billing retry: the store charges it.
  ///
  /// - Throws: ``TestBedError``.
  public func resolveIssue(_ identifier: UInt64) throws {
    switch try record(identifier) {
    case .attempt(let attempt):
      let wasInterrupted = try change {
        try $0.resumeInterrupted(attempt.payment.paymentID, on: attempt.installationID)
      }
      guard wasInterrupted else { throw TestBedError.notPossible("The payment \(identifier) was not interrupted.") }
    case .transaction:
      // Without an effect if nothing is retried any more.
      let original = try subscription(identifier).originalTransactionID
      try change { _ = try $0.changeSubscription(original, by: .chargeFailedRenewal) }
    }
  }

  // MARK: Subscriptions

  /// Changes the subscription of a transaction.
  ///
  /// - Throws: ``TestBedError``; `AppStoreEmulatorError` if the change is not possible in the state of the subscription.
  public func changeSubscription(of identifier: UInt64, by adjustment: SubscriptionAdjustment) throws {
    let original = try subscription(identifier).originalTransactionID
    try change { _ = try $0.changeSubscription(original, by: adjustment) }
  }

  /// Changes the subscription whose plan is a product now.
  ///
  /// - Throws: ``TestBedError/noSubscription(_:)``, ``TestBedError/noProduct(_:)``, ``TestBedError/noSubscriptionProduct(_:)``;
  ///   `AppStoreEmulatorError`.
  public func changeSubscription(to productID: ProductID, by adjustment: SubscriptionAdjustment) throws {
    guard let product = configuration.products.first(where: { $0.productID == productID }) else {
      throw TestBedError.noProduct(productID)
    }
    guard product.type == .autoRenewableSubscription else { throw TestBedError.noSubscriptionProduct(productID) }
    let subscription = try records.subscriptions(of: device.customer.account, in: store.environment)
      .first { $0.productID == productID && $0.bundleID == store.bundleID }
    guard let subscription else { throw TestBedError.noSubscription(productID) }
    try change { _ = try $0.changeSubscription(subscription.originalTransactionID, by: adjustment) }
  }

  private func subscription(_ identifier: UInt64) throws -> RenewalRecord {
    guard case .transaction(let id) = try record(identifier) else {
      throw TestBedError.notPossible("The payment \(identifier) is of no subscription.")
    }
    let original = try records.transaction(id)?.record.originalTransactionID
    let subscription = try records.subscriptions(of: device.customer.account, in: store.environment)
      .first { $0.originalTransactionID == original }
    guard let subscription else {
      throw TestBedError.notPossible("The transaction \(identifier) is of no subscription.")
    }
    return subscription
  }

  // MARK: Time

  /// Moves the store's clock forward. What is due on the way happens at its own date.
  ///
  /// - Throws: `AppStoreEmulatorError` if the duration is negative, or longer than the certificates are valid.
  public func advance(by duration: Duration) throws {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    try change { _ = try $0.changeClock(.advance(milliseconds: milliseconds)) }
  }

  /// Moves the store's clock forward to a date, rounded to a millisecond.
  ///
  /// - Throws: `AppStoreEmulatorError` if the date has passed, or is later than the certificates are valid.
  public func advance(to date: Date) throws {
    let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    try change { _ = try $0.changeClock(.to(StoreDate(millisecondsSince1970: milliseconds))) }
  }

  /// Store seconds per second of the machine's clock; 0 stops the store's clock, so that only ``advance(by:)`` moves it.
  ///
  /// - Throws: `AppStoreEmulatorError` if the rate is negative, or above 1,000,000.
  public func setClockRate(_ rate: Double) throws { try change { _ = try $0.changeClock(rate: rate) } }

  /// The store's date.
  public var now: Date { store.appStore.clock.now.date }

  // MARK: Identifiers

  private enum Record {
    case transaction(TransactionID)
    case attempt(PaymentAttempt)
  }

  private func record(_ identifier: UInt64) throws -> Record {
    if identifier > TestTransaction.attempts {
      let attempt = try records.attempts().first { TestTransaction.identifier($0) == identifier }
      if let attempt { return .attempt(attempt) }
    } else {
      let id = TransactionID(identifier)
      if try records.transaction(id) != nil { return .transaction(id) }
    }
    throw TestBedError.noTransaction(identifier)
  }
}

/// Thrown when a test session cannot do what a test asks for. Nothing was changed.
public enum TestBedError: DescribedError, Hashable, Sendable {
  /// The file has no such product.
  case noProduct(ProductID)
  /// The product is no auto-renewable subscription.
  case noSubscriptionProduct(ProductID)
  /// The customer has no subscription to the product.
  case noSubscription(ProductID)
  case noTransaction(UInt64)
  /// The date of a purchase is later than the store's date.
  case dateInFuture(StoreDate)
  case notPossible(String)

  public var description: String {
    switch self {
    case .noProduct(let product): "The .storekit file has no product \(product.rawValue)."
    case .noSubscriptionProduct(let product): "\(product.rawValue) is no auto-renewable subscription."
    case .noSubscription(let product): "There is no subscription to \(product.rawValue). Buy it first."
    case .noTransaction(let id): "There is no transaction \(id). allTransactions() has all of them."
    case .dateInFuture(let date): "A purchase on \(date) is in the future. Move the clock first."
    case .notPossible(let reason): reason
    }
  }
}
