import Foundation
import OpenStoreKit
import StoreModel

/// A device on which the app under test runs, with its customer.
///
/// ```swift
/// let store = try await TestStore(file, bundleID: "com.example.shop")
/// let device = try TestDevice(store)
/// SKPaymentQueue.default().add(shop)                       // the app, as it is
/// shop.buy("coins")
/// let transaction = try await device.finished("coins")     // waits until the app has finished the transaction
/// ```
///
/// The newest device is the current one, which the app's StoreKit uses (`StoreKitDevice.current`). The process has one
/// current device, so tests of `SKPaymentQueue.default()` must run one after the other. Put all of them into one
/// serialized suite, because two serialized suites run at the same time. A test that passes ``queue`` to the app can
/// create its device with `isCurrent: false`. Such a test can run at the same time as all other tests.
///
/// The device also observes its queue itself. So it exchanges transactions with the store as soon as it exists, even
/// before the app's observer is attached, or before an app of StoreKit 2 iterates over `Transaction.updates`. The queue
/// reports the transactions of StoreKit 2, too: ``finished(_:within:)`` and ``revoked(within:)`` work for both.
public final class TestDevice: Sendable {
  /// The default time after which a wait fails.
  public static let timeout = Duration.seconds(10)

  public let store: TestStore
  public let customer: TestCustomer
  private let applicationVersion: String
  private let storeTimeout: Duration
  private let observesQueue: Bool
  /// The folder of the installation; nil if it is kept in memory.
  private let folder: URL?
  private let running: LockedValue<Running>
  private let problemLog = LockedValue<[StoreKitProblem]>([])

  /// StoreKit in one run of the app.
  private struct Running: Sendable {
    let storeKit: StoreKitDevice
    let recorder: QueueRecorder
  }

  /// Installs the app on a new device and launches it.
  ///
  /// - Parameters:
  ///   - customer: the customer who uses the device.
  ///   - applicationVersion: the app's version, which receipts contain.
  ///   - storeTimeout: the time that a payment waits for the store before its confirmation has left. It then fails with
  ///     `SKErrorDomain` 0.
  ///   - isCurrent: whether the device becomes the current one (``makeCurrent()``).
  ///   - observesQueue: whether the device observes its queue. If false, it exchanges transactions with the store only while
  ///     the app uses StoreKit, and all waits of this type end with a timeout. For tests of an app of StoreKit 2 that must
  ///     not depend on an observer.
  /// - Throws: `DurableSQLiteError` if the temporary folder cannot be written.
  public convenience init(
    _ store: TestStore, customer: TestCustomer = TestCustomer(), applicationVersion: String = "1.0",
    storeTimeout: Duration = DeviceSettings.defaultStoreTimeout, isCurrent: Bool = true, observesQueue: Bool = true
  ) throws {
    try self.init(
      store, customer: customer, applicationVersion: applicationVersion, storeTimeout: storeTimeout,
      observesQueue: observesQueue,
      folder: FileManager.default.temporaryDirectory.appending(path: "TestDevice-\(UUID().uuidString)"))
    if isCurrent { makeCurrent() }
  }

  /// - Parameter folder: the folder of the installation; nil to keep it in memory. The app can then not be launched again.
  package init(
    _ store: TestStore, customer: TestCustomer, applicationVersion: String = "1.0",
    storeTimeout: Duration = DeviceSettings.defaultStoreTimeout, observesQueue: Bool, folder: URL?
  ) throws {
    self.observesQueue = observesQueue
    self.store = store
    self.customer = customer
    self.applicationVersion = applicationVersion
    self.storeTimeout = storeTimeout
    self.folder = folder
    running = LockedValue(
      try Self.launch(
        store, customer, applicationVersion, storeTimeout, at: folder, isObserved: observesQueue, problems: problemLog))
  }

  deinit {
    storeKit.stopBeingCurrent()
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// The delays are short, so that a test's device notices the end of an outage at once.
  private static let quickRetry = TimedRetry(RetryPauses(from: .milliseconds(1), upTo: .milliseconds(64)))

  private static func launch(
    _ store: TestStore, _ customer: TestCustomer, _ version: String, _ storeTimeout: Duration, at folder: URL?,
    isObserved: Bool, problems: LockedValue<[StoreKitProblem]>
  ) throws -> Running {
    let storeKit = try StoreKitDevice(
      connection: store.appStore, bundleID: store.bundleID, environment: store.environment,
      applicationVersion: version, storage: folder.map { .directory($0) } ?? .inMemory, deviceID: nil,
      customer: customer, switches: DeviceSwitches(), storeTimeout: storeTimeout, retry: quickRetry,
      clock: SystemClock(), makeUUID: { UUID() }, isOfTestBed: folder == nil,
      report: { problem in problems.withLock { $0.append(problem) } })
    let recorder = QueueRecorder()
    if isObserved { storeKit.paymentQueue.add(recorder) }
    return Running(storeKit: storeKit, recorder: recorder)
  }

  /// StoreKit in the current run of the app.
  public var storeKit: StoreKitDevice { running.value.storeKit }

  /// The payment queue in the current run of the app.
  public var queue: SKPaymentQueue { storeKit.paymentQueue }

  /// The problems that StoreKit could not report to the app by a transaction or a request, oldest first. An outage
  /// causes such problems.
  public var problems: [StoreKitProblem] { problemLog.value }

  /// Makes this device the current one, which the app's StoreKit uses.
  public func makeCurrent() { StoreKitDevice.current = storeKit }

  /// Ends the app as a crash does, and launches it again on the same device. Transactions that the app has not finished
  /// are delivered again.
  ///
  /// Release the app's own objects before the call. Make new ones after it, and attach their observer to the new queue.
  ///
  /// - Throws: ``PurchaseTestError/keptInMemory`` for the device of a test session.
  public func relaunch() async throws {
    guard folder != nil else { throw PurchaseTestError.keptInMemory }
    let wasCurrent = storeKit.isCurrent
    try await storeKit.close()
    running.value = try Self.launch(
      store, customer, applicationVersion, storeTimeout, at: folder, isObserved: observesQueue, problems: problemLog)
    if wasCurrent { makeCurrent() }
  }
}

// MARK: Waiting for an outcome

extension TestDevice {
  /// Waits until a transaction of the product is in a state, such as `.purchased` or `.deferred`.
  ///
  /// Each call returns another event: the oldest that no earlier call has returned.
  ///
  /// - Throws: ``PurchaseTestError/timeout(awaited:observed:problems:)``, or `CancellationError`.
  @discardableResult
  public func updated(
    _ productID: ProductID, to state: SKPaymentTransactionState, within timeout: Duration = TestDevice.timeout
  ) async throws -> SKPaymentTransaction {
    try await next("transaction of \(productID.rawValue) that is \(state.name)", timeout) {
      guard case .updated(let transaction, state) = $0, transaction.isOf(productID) else { return nil }
      return transaction
    }
  }

  /// Waits until the app has finished a transaction of the product, whether it was purchased, has failed or was
  /// restored.
  ///
  /// Each call returns another transaction: the oldest that no earlier call has returned.
  ///
  /// - Throws: ``PurchaseTestError/timeout(awaited:observed:problems:)``, or `CancellationError`.
  @discardableResult
  public func finished(
    _ productID: ProductID, within timeout: Duration = TestDevice.timeout
  ) async throws -> SKPaymentTransaction {
    try await next("transaction of \(productID.rawValue) that the app finished", timeout) {
      guard case .removed(let transaction) = $0, transaction.isOf(productID) else { return nil }
      return transaction
    }
  }

  /// Waits until a restore ends.
  ///
  /// - Throws: the error of a restore that has failed; ``PurchaseTestError/timeout(awaited:observed:problems:)``, or
  ///   `CancellationError`.
  public func restored(within timeout: Duration = TestDevice.timeout) async throws {
    let failure: FailureOfRestore = try await next("end of a restore", timeout) {
      switch $0 {
      case .restoreFinished: FailureOfRestore(error: nil)
      case .restoreFailed(let error): FailureOfRestore(error: error)
      case .updated, .removed, .revoked: nil
      }
    }
    if let error = failure.error { throw error }
  }

  /// Waits until StoreKit reports products that the customer no longer owns, such as after a refund.
  ///
  /// StoreKit 1 reports this for non-consumables and auto-renewable subscriptions, not for consumables.
  ///
  /// - Throws: ``PurchaseTestError/timeout(awaited:observed:problems:)``, or `CancellationError`.
  @discardableResult
  public func revoked(within timeout: Duration = TestDevice.timeout) async throws -> [ProductID] {
    try await next("revoked product", timeout) {
      guard case .revoked(let products) = $0 else { return nil }
      return products.map { ProductID($0) }
    }
  }

  private struct FailureOfRestore: Sendable { let error: (any Error)? }

  private func next<Result: Sendable>(
    _ awaited: String, _ timeout: Duration, _ select: @escaping @Sendable (QueueRecorder.Event) -> Result?
  ) async throws -> Result {
    let recorder = running.value.recorder
    let result = await withTaskGroup(of: Result?.self) { group in
      group.addTask { await recorder.next(select) }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if let result { return result }
    try Task.checkCancellation()
    throw PurchaseTestError.timeout(awaited: awaited, observed: recorder.texts, problems: problems)
  }
}

extension SKPaymentTransaction {
  fileprivate func isOf(_ productID: ProductID) -> Bool { payment.productIdentifier == productID.rawValue }
}
