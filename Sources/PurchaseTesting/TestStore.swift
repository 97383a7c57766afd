import AppStoreEmulator
import Foundation
import StoreModel

/// An App Store in memory that sells the products of one app, for the tests of the app's purchases.
///
/// ```swift
/// let store = try await TestStore(file, bundleID: "com.example.shop")
/// let device = try TestDevice(store)
/// ```
///
/// ``appStore`` is the store itself, with its records, clock and faults:
///
/// ```swift
/// try await store.appStore.charges()
/// try store.appStore.set(Fault(AnswerLostFault(), count: 1))   // the next purchase is charged, and its answer is lost
/// ```
public final class TestStore: Sendable {
  public let appStore: EmulatedAppStore
  public let bundleID: BundleID
  /// The environment of all purchases: `.sandbox`, or `.xcode` for a store that signs as StoreKit testing in Xcode.
  public let environment: StoreEnvironment
  /// The parts of the `.storekit` file that the store leaves out or that have no effect, as sentences for the developer.
  /// They are also written to standard error.
  public let warnings: [String]

  private static let outage: FaultID = "test outage"

  /// Makes a store that sells the products of a `.storekit` file.
  ///
  /// - Parameters:
  ///   - file: the `.storekit` file, in version 1.0 to 5.0 of the format.
  ///   - seed: the seed of all identifiers. With the same seed, each run has the same transaction ids.
  /// - Throws: `StoreKitConfigurationError` if the file cannot be read, or no product can be sold;
  ///   `AppStoreEmulatorError` if the store refuses the file, such as for an unknown storefront.
  public convenience init(_ file: URL, bundleID: BundleID, seed: UInt64 = 1) async throws {
    let configuration = try StoreKitConfiguration(contentsOf: file)
    try await self.init(configuration, bundleID: bundleID, seed: seed)
    for warning in warnings {
      FileHandle.standardError.write(Data("\(file.lastPathComponent): warning: \(warning)\n".utf8))
    }
  }

  /// Makes a store that sells the products of a configuration.
  ///
  /// - Throws: `AppStoreEmulatorError`.
  public convenience init(_ configuration: StoreKitConfiguration, bundleID: BundleID, seed: UInt64 = 1) async throws {
    try self.init(configuration, bundleID: bundleID, environment: .sandbox, seed: seed)
  }

  /// Does the same on the calling thread.
  ///
  /// - Parameters:
  ///   - environment: `.sandbox` or `.xcode`.
  ///   - serves: whether to sell the products now; otherwise the caller, which is a test bed, makes the store do it.
  package init(
    _ configuration: StoreKitConfiguration, bundleID: BundleID, environment: StoreEnvironment, seed: UInt64? = nil,
    serves: Bool = true
  ) throws {
    var settings = EmulatedAppStore.Configuration.inMemory(seed: seed)
    if environment == .xcode { settings.style = .xcode }
    settings.reusesDatabase = !serves
    appStore = try EmulatedAppStore(settings)
    self.bundleID = bundleID
    self.environment = environment
    warnings = configuration.warnings
    if serves { try appStore.synchronous.serve(bundleID, catalog: [configuration]) }
  }

  // MARK: Outages

  /// Makes the store unreachable for all devices and for `verifyReceipt`, until ``endOutage()``.
  public func beginOutage() throws {
    _ = try appStore.set(Fault(OutageFault(.unreachable), id: Self.outage))
  }

  /// Ends an outage. Devices then repeat the failed requests within 64 milliseconds.
  ///
  /// - Throws: `AppStoreEmulatorError` if there is no outage.
  public func endOutage() throws { try appStore.removeFault(Self.outage) }

  // MARK: Ask to Buy

  /// Sets whether a customer's payments wait for a parent's approval.
  ///
  /// - Throws: `AppStoreEmulatorError` if the store has no such customer.
  public func setAskToBuy(_ isOn: Bool, for account: AccountName = "customer") async throws {
    _ = try await appStore.changeCustomer(account, environment) { $0.needsApproval = isOn }
  }

  /// Approves or declines all payments that wait for approval.
  ///
  /// - Throws: ``PurchaseTestError/noPendingApproval``.
  public func decidePendingApprovals(isApproved: Bool) async throws {
    let pending = try await appStore.pendingApprovals()
    guard !pending.isEmpty else { throw PurchaseTestError.noPendingApproval }
    for approval in pending {
      try await appStore.decideApproval(
        of: approval.payment.paymentID, on: approval.installationID, isApproved: isApproved)
    }
  }

  // MARK: Purchases in the App Store

  /// Begins a purchase in the App Store: the app continues it, as `shouldAddStorePayment` or as a `PurchaseIntent`.
  ///
  /// - Parameter offer: the identifier of a win-back offer that the customer chose; nil for none.
  /// - Throws: `StoreRefusal` if the store does not sell the product, or has no such offer; `AppStoreEmulatorError` if the
  ///   device has not yet asked the store for anything.
  public func beginPurchaseInAppStore(_ productID: ProductID, offer: String? = nil, on device: TestDevice) async throws
  {
    try await appStore.beginPromotedPurchase(
      of: productID, offer: offer.map { PaymentOffer(kind: .winBack, identifier: $0) },
      on: device.storeKit.installationID)
  }

  // MARK: Subscriptions

  /// Moves the store's clock to the next date at which something is due, such as the renewal or the end of a subscription,
  /// and returns when that is done.
  ///
  /// - Throws: `AppStoreEmulatorError.nothingDue` if there is no subscription that renews or ends.
  public func renew() async throws {
    try await appStore.changeClock(.toNextEvent)
    // What is due is done before the store answers the next request.
    _ = try await appStore.transactions(RecordFilter(bundleID: bundleID))
  }

  /// Sets whether a customer's payment method is declined. A renewal then fails.
  ///
  /// - Throws: `AppStoreEmulatorError` if the store has no such customer.
  public func setBillingProblem(_ isOn: Bool, for account: AccountName = "customer") async throws {
    _ = try await appStore.changeCustomer(account, environment) { $0.paymentMethod = isOn ? .declined : .valid }
  }

  // MARK: Refunds

  /// Refunds the newest of a product's transactions that are not refunded yet.
  ///
  /// - Returns: the revoked transaction.
  /// - Throws: ``PurchaseTestError/nothingToRefund(_:)``, or `AppStoreEmulatorError`.
  @discardableResult
  public func refund(_ productID: ProductID) async throws -> StoredTransaction {
    let transactions = try await appStore.transactions(RecordFilter(bundleID: bundleID, productID: productID))
    guard let newest = transactions.first(where: { $0.record.revocationDate == nil && $0.sharedTransactionID == nil })
    else { throw PurchaseTestError.nothingToRefund(productID) }
    return try await appStore.refund(newest.record.transactionID)
  }
}
