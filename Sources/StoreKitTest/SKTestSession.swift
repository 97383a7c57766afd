import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseTesting
import SignedData
import StoreKit
import StoreModel

/// A session that controls the test environment: a store in this process, and the device on which the app runs. Implements
/// Apple's `SKTestSession`.
///
/// ```swift
/// let session = try SKTestSession(configurationFileNamed: "Shop")
/// session.disableDialogs = true
/// session.clearTransactions()
/// ```
///
/// All sessions of a process share one store, in which the file and the settings of the newest session hold. A test with the
/// trait ``IsolatedStoreTrait`` has a store of its own.
///
/// No function waits for work of Swift's concurrency pool, except the `async` ones. When a function returns, its effect is in
/// ``allTransactions()``, in the receipt, and in the lists of `Transaction`, and the transaction is on `Transaction.updates`.
/// Documentation/storekittest.md lists what differs from Apple's sessions, and what ``testBed`` can do besides.
open class SKTestSession: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open. Its only property is a constant.

  /// The store and the device of this session, for what Apple's sessions cannot do.
  public let testBed: TestBed

  @available(*, unavailable) public override init() { preconditionFailure("a session needs a file") }

  /// Begins a session with a file of the test target's resources.
  ///
  /// - Parameters:
  ///   - name: the file's name, with or without `.storekit`. It is looked for in the resources of the calling target, then in
  ///     the other resources beside the test program, in the working directory, and in the root of the package.
  ///   - fileID: the calling file, whose target's resources come first. Not part of Apple's API; leave it out.
  /// - Throws: ``SKTestError/fileNotFound``, or as ``init(contentsOf:)``.
  public convenience init(configurationFileNamed name: String, fileID: String = #fileID) throws {
    let target = fileID.prefix { $0 != "/" }
    try self.init(contentsOf: try ConfigurationFile.find(name, for: String(target)))
  }

  /// Begins a session with a `.storekit` file.
  ///
  /// - Throws: ``SKTestError/invalidURL``, ``SKTestError/fileNotFound``; `StoreKitConfigurationError` if the file cannot be
  ///   read, or no product of it can be sold; `StoreKitDeviceError.isolationLost` outside of a test, while tests with stores of
  ///   their own run.
  public convenience init(contentsOf url: URL) throws { try self.init(contentsOf: url, environment: .xcode) }

  /// Begins a session whose store signs as Xcode or as the sandbox. Not part of Apple's API.
  ///
  /// If the store of earlier sessions signs in the other way, a new store takes its place.
  ///
  /// - Parameter environment: `.xcode`, or `.sandbox` for an app or a server that accepts only what the App Store signs.
  /// - Throws: as ``init(contentsOf:)``; ``SKTestError/invalidAction`` for another environment.
  public init(contentsOf url: URL, environment: AppStore.Environment) throws {
    guard url.isFileURL else { throw SKTestError(.invalidURL, "\(url) is not the URL of a file.") }
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw SKTestError(.fileNotFound, "There is no file \(url.path).")
    }
    guard let environment = StoreEnvironment(rawValue: environment.rawValue), environment != .production else {
      throw SKTestError(.invalidAction, "A session signs as Xcode or as the sandbox.")
    }
    let configuration = try StoreKitConfiguration(contentsOf: url)
    testBed = try TestBed.ofTest(selling: configuration, environment: environment)
    super.init()
    // The switches of the file have their effect here, unlike in an emulator.
    for warning in configuration.warnings where !configuration.switchWarnings.contains(warning) {
      Self.report("\(url.lastPathComponent): warning: \(warning)")
    }
  }

  // MARK: Settings

  /// Whether no sheets are shown. It has no effect: nobody is there to answer a sheet, and the customer of ``testBed`` confirms
  /// all of them, unless the test says otherwise.
  open var disableDialogs: Bool {
    get { testBed.settings.disablesDialogs }
    set { change { $0.disablesDialogs = newValue } }
  }

  /// Whether each purchase of the app waits for approval.
  open var askToBuyEnabled: Bool {
    get { testBed.settings.asksToBuy }
    set { change { $0.asksToBuy = newValue } }
  }

  /// Whether each purchase of the app is interrupted. ``resolveIssueForTransaction(identifier:)`` makes it afterwards.
  open var interruptedPurchasesEnabled: Bool {
    get { testBed.settings.interruptsPurchases }
    set { change { $0.interruptsPurchases = newValue } }
  }

  /// Whether renewals cannot be charged, so that subscriptions enter billing retry at the end of their period.
  open var shouldEnterBillingRetryOnRenewal: Bool {
    get { testBed.settings.renewalRules.renewalsFail }
    set { change { $0.renewalRules.renewalsFail = newValue } }
  }

  /// Whether a subscription whose renewal cannot be charged has a grace period first, of the length that belongs to
  /// ``timeRate``.
  open var billingGracePeriodIsEnabled: Bool {
    get { testBed.settings.renewalRules.gracePeriod != .off }
    set { change { $0.renewalRules.gracePeriod = newValue ? .standard : .off } }
  }

  /// The alpha-3 code of the customer's storefront. An unknown code is reported, and changes nothing.
  open var storefront: String {
    get { testBed.settings.storefront }
    set { change { $0.storefront = newValue } }
  }

  /// The locale of the products' texts.
  open var locale: Locale {
    get { testBed.settings.locale }
    set { change { $0.locale = newValue } }
  }

  /// How fast subscriptions renew. It shortens the periods that begin from now on.
  open var timeRate: TimeRate {
    get { TimeRate(testBed.settings.renewalRules.rate) }
    set { change { $0.renewalRules.rate = newValue.rate } }
  }

  /// Whether each purchase of the app fails with ``failureError``.
  open var failTransactionsEnabled: Bool {
    get { testBed.settings.failsPurchases }
    set { change { $0.failsPurchases = newValue } }
  }

  /// The error of failed purchases. StoreKit 2 shows those of offers as `Product.PurchaseError`, and the others as
  /// `StoreKitError.unknown`.
  open var failureError: SKError.Code {
    get { SKError.Code(rawValue: testBed.settings.failureCode) ?? .unknown }
    set { change { $0.failureCode = newValue.rawValue } }
  }

  /// Sets all settings and simulated errors as in the file. The transactions stay.
  open func resetToDefaultState() { reporting { try testBed.resetSettings() } }

  // MARK: Transactions

  /// All transactions, and the attempts to buy that have none, oldest first.
  open func allTransactions() -> [SKTestTransaction] {
    reporting { try testBed.transactions().map(SKTestTransaction.init) } ?? []
  }

  /// Deletes all transactions and attempts. The receipt is then empty.
  open func clearTransactions() { reporting { try testBed.deleteTransactions() } }

  /// Deletes a transaction, and the renewals of a subscription that began with it.
  ///
  /// - Throws: ``SKTestError/noTransactionFound``.
  open func deleteTransaction(identifier: UInt) throws {
    try mappingErrors { try testBed.delete(UInt64(identifier)) }
  }

  /// Refunds a transaction, with the reason "other".
  ///
  /// - Throws: ``SKTestError/noTransactionFound``; ``SKTestError/invalidAction`` if it was refunded before.
  open func refundTransaction(identifier: UInt) throws {
    try mappingErrors { try testBed.refund(UInt64(identifier)) }
  }

  /// Makes a purchase that was interrupted, or charges the renewal of a subscription in billing retry or a grace period. It has
  /// no effect on a subscription that is in neither.
  ///
  /// - Parameter identifier: that of the attempt, or of a transaction of the subscription.
  /// - Throws: ``SKTestError/noTransactionFound``; ``SKTestError/invalidAction`` for another transaction.
  open func resolveIssueForTransaction(identifier: UInt) throws {
    try mappingErrors { try testBed.resolveIssue(UInt64(identifier)) }
  }

  /// Approves an attempt that waits for approval.
  ///
  /// - Throws: ``SKTestError/noTransactionFound``; ``SKTestError/invalidAction`` if it does not wait.
  open func approveAskToBuyTransaction(identifier: UInt) throws {
    try mappingErrors { try testBed.decideApproval(UInt64(identifier), isApproved: true) }
  }

  /// Declines an attempt that waits for approval. The app is not told.
  ///
  /// - Throws: as ``approveAskToBuyTransaction(identifier:)``.
  open func declineAskToBuyTransaction(identifier: UInt) throws {
    try mappingErrors { try testBed.decideApproval(UInt64(identifier), isApproved: false) }
  }

  // MARK: Subscriptions

  /// Turns the automatic renewal of a transaction's subscription on.
  ///
  /// - Throws: ``SKTestError/noTransactionFound``; ``SKTestError/invalidAction`` if it is of no subscription, or of one that has
  ///   ended.
  open func enableAutoRenewForTransaction(identifier: UInt) throws {
    try changeSubscription(of: identifier, by: .autoRenew(isOn: true))
  }

  /// Turns the automatic renewal of a transaction's subscription off.
  ///
  /// - Throws: as ``enableAutoRenewForTransaction(identifier:)``.
  open func disableAutoRenewForTransaction(identifier: UInt) throws {
    try changeSubscription(of: identifier, by: .autoRenew(isOn: false))
  }

  /// Announces a price increase that needs the customer's consent, and sends the app the message about it. Without consent, the
  /// subscription expires at the end of its period.
  ///
  /// - Throws: as ``enableAutoRenewForTransaction(identifier:)``.
  open func requestPriceIncreaseConsentForTransaction(identifier: UInt) throws {
    try changeSubscription(of: identifier, by: .requestPriceConsent)
  }

  /// Agrees to an announced price increase.
  ///
  /// - Throws: as ``enableAutoRenewForTransaction(identifier:)``; ``SKTestError/invalidAction`` if none waits for consent.
  open func consentToPriceIncreaseForTransaction(identifier: UInt) throws {
    try changeSubscription(of: identifier, by: .answerPriceIncrease(isAgreed: true))
  }

  /// Declines an announced price increase, which turns automatic renewal off.
  ///
  /// - Throws: as ``consentToPriceIncreaseForTransaction(identifier:)``.
  open func declinePriceIncreaseForTransaction(identifier: UInt) throws {
    try changeSubscription(of: identifier, by: .answerPriceIncrease(isAgreed: false))
  }

  /// Ends the subscription to a product now, with automatic renewal off.
  ///
  /// - Throws: ``SKTestError/invalidProductIdentifier``, ``SKTestError/invalidProductType``;
  ///   ``SKTestError/noSubscriptionFound`` if there is none; ``SKTestError/invalidAction`` if it has ended.
  open func expireSubscription(productIdentifier: String) throws {
    try mappingErrors { try testBed.changeSubscription(to: ProductID(productIdentifier), by: .end) }
  }

  /// Renews the subscription to a product now: its period ends, and the next one begins. Automatic renewal is turned on, and a
  /// price increase that waits for consent is dropped. A subscription that has expired begins again. In a grace period or a
  /// billing retry, nothing is charged.
  ///
  /// - Throws: as ``expireSubscription(productIdentifier:)``; ``SKTestError/invalidAction`` if it was refunded.
  open func forceRenewalOfSubscription(productIdentifier: String) throws {
    try mappingErrors { try testBed.changeSubscription(to: ProductID(productIdentifier), by: .renewNow) }
  }

  // MARK: Purchases outside of the app

  /// Buys a product outside of the app, as on another device. The app receives the transaction on `Transaction.updates`, or its
  /// observers do.
  ///
  /// - Throws: ``SKTestError/invalidProductIdentifier``; ``SKTestError/invalidAction`` if the customer owns the product.
  open func buyProduct(productIdentifier: String) throws {
    try mappingErrors { _ = try testBed.buy(ProductID(productIdentifier)) }
  }

  /// Buys a product outside of the app, with options.
  ///
  /// - Returns: the transaction, which the app receives, too. For a subscription that was bought in the past, its first one.
  /// - Throws: as ``buyProduct(productIdentifier:)``; ``SKTestError/invalidAction`` if the date of the purchase is in the
  ///   future, or the customer cannot have the offer.
  @discardableResult
  open func buyProduct(
    identifier: Product.ID, options: Set<Product.PurchaseOption> = []
  ) async throws -> StoreKit.Transaction {
    try mappingErrors {
      let id = try testBed.buy(ProductID(identifier), OutsidePurchase(options))
      guard let shown = try testBed.device.storeKit.shownTransaction(id) else {
        throw TestBedError.notPossible("The device has not received the transaction \(id).")
      }
      return shown.unsafePayloadValue
    }
  }

  // MARK: Simulated errors

  /// Makes a kind of call fail.
  ///
  /// - Parameter error: nil to make it work again.
  open func setSimulatedError<API: FailableStoreKitAPI>(_ error: API.Failure?, forAPI api: API) async throws {
    let errors = testBed.device.storeKit.simulatedErrors
    guard let call = api.call else {
      let failure = error?._errorCode.error as? VerificationResult<Any>.VerificationError
      errors.verification = failure.map { VerificationFailure(simulating: $0) }
      return
    }
    errors.set(error?._errorCode.error, for: call)
  }

  /// The error with which a kind of call fails; nil for none.
  open func simulatedError<API: FailableStoreKitAPI>(forAPI api: API) async -> API.Failure? {
    let errors = testBed.device.storeKit.simulatedErrors
    let error: (any Error)? =
      if let call = api.call { errors[call] } else { errors.verification?.simulated(of: Any.self) }
    return error.flatMap { API.Failure(_fromErrorCode: _SKTestFailureCode(error: $0)) }
  }
}

extension SKTestSession {
  /// How fast subscriptions renew. The names say how long a month, or each period, lasts.
  public enum TimeRate: Int, Sendable {
    case realTime = 0
    case oneHourIsOneDay = 1
    case thirtyMinutesIsOneDay = 2
    case fiveMinutesIsOneDay = 3
    case oneMinuteIsOneDay = 4
    case thirtySecondsIsOneDay = 5
    case oneSecondIsOneDay = 6
    case monthlyRenewalEveryHour = 10
    case monthlyRenewalEveryThirtyMinutes = 11
    case monthlyRenewalEveryFifteenMinutes = 12
    case monthlyRenewalEveryFiveMinutes = 13
    case monthlyRenewalEveryThirtySeconds = 15
    case oneRenewalEveryFifteenMinutes = 1000
    case oneRenewalEveryFiveMinutes = 1001
    case oneRenewalEveryMinute = 1002
    case oneRenewalEveryThirtySeconds = 1003
    case oneRenewalEveryTenSeconds = 1004
    case oneRenewalEveryTwoSeconds = 1005

    // Both enums have the same raw values, which a test compares.
    fileprivate init(_ rate: RenewalRate) { self = TimeRate(rawValue: rate.rawValue) ?? .realTime }
    fileprivate var rate: RenewalRate { RenewalRate(rawValue: rawValue) ?? .realTime }
  }
}

// MARK: Errors

extension SKTestSession {
  /// Changes settings. Apple's properties cannot throw, so errors are reported.
  private func change(_ change: (inout TestBedSettings) -> Void) { reporting { try testBed.changeSettings(change) } }

  private func changeSubscription(of identifier: UInt, by adjustment: SubscriptionAdjustment) throws {
    try mappingErrors { try testBed.changeSubscription(of: UInt64(identifier), by: adjustment) }
  }

  @discardableResult
  private func reporting<Value>(_ work: () throws -> Value) -> Value? {
    do {
      return try work()
    } catch {
      Self.report("\(error)")
      return nil
    }
  }

  private static func report(_ text: String) {
    // If standard error cannot be written, the text is lost.
    try? FileHandle.standardError.write(contentsOf: Data("SKTestSession: \(text)\n".utf8))
  }

  /// Throws the errors of the core as those of Apple's sessions.
  private func mappingErrors<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as TestBedError {
      let code: SKTestError.Code =
        switch error {
        case .noProduct: .invalidProductIdentifier
        case .noSubscriptionProduct: .invalidProductType
        case .noSubscription: .noSubscriptionFound
        case .noTransaction: .noTransactionFound
        case .dateInFuture, .notPossible: .invalidAction
        }
      throw SKTestError(code, error.description)
    } catch let error as AppStoreEmulatorError {
      throw SKTestError(.invalidAction, error.description)
    } catch let refusal as StoreRefusal {
      throw SKTestError(.invalidAction, refusal.description)
    }
  }
}
