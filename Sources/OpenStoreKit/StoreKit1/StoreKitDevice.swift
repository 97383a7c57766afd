import Foundation
import SignedData
import StoreModel

/// The device on which an app's StoreKit runs: one installation of one app, with its payment journal, customer and
/// store.
///
/// ```swift
/// StoreKitDevice.current = try StoreKitDevice(
///   connection: store, bundleID: "com.example.game", storage: .inMemory,
///   customer: AutomaticCustomer(credentials: SignInCredentials(account: "customer")))
/// SKPaymentQueue.default().add(observer)
/// ```
///
/// An app that only imports StoreKit does not need this: the first call makes the device from environment variables
/// (`OPENSTOREKIT_URL` and others, see ``DeviceSettings``).
public final class StoreKitDevice: Sendable {
  /// The location of the installation's journal and receipt.
  public enum Storage: Hashable, Sendable {
    /// A folder. Only one process at a time can open it.
    case directory(URL)
    /// In memory, for tests. Only the store's data outlives the process.
    case inMemory
  }

  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// What a person can set on this device: restricted purchases, and airplane mode.
  public let switches: DeviceSwitches
  /// Whether purchases are allowed on this device, as `SKPaymentQueue.canMakePayments()` returns. Setting it sets the
  /// device's own value of ``DeviceSwitches/isRestricted``.
  public var paymentsAllowed: Bool {
    get { !switches.isRestricted }
    set { switches.isRestricted = !newValue }
  }
  /// The id of this installation in the store.
  public let installationID: InstallationID
  /// The device's `identifierForVendor`, to which its receipts are bound.
  public let deviceID: UUID
  /// The location of the app receipt. There is no file until the device has received a receipt. For the current device,
  /// `Bundle.main.appStoreReceiptURL` returns the same location.
  public let receiptURL: URL
  /// The queue of this device. `SKPaymentQueue.default()` is the queue of the current device.
  public let paymentQueue: SKPaymentQueue

  /// The errors with which a test session makes calls fail.
  package let simulatedErrors = SimulatedErrors()
  /// The habits of Apple's store that a test has turned on.
  package let habits = StoreHabits()

  let session: StoreSession
  let engine: PaymentQueueEngine
  let journal: PaymentJournal
  private let scratch: URL?

  /// Opens an installation, or makes a new one. It sends nothing to the store until the app makes a call.
  ///
  /// - Parameters:
  ///   - connection: the connection to the store: an `EmulatedAppStore` in this process, or ``HTTPAppStoreConnection``.
  ///   - bundleID: the app.
  ///   - environment: `.sandbox` or `.production`.
  ///   - applicationVersion: the app's version, which receipts contain.
  ///   - storage: the location of the installation.
  ///   - deviceID: `identifierForVendor`; nil for the device of an existing installation, or for a new device.
  ///   - customer: answers the sheets.
  ///   - switches: the device's switches. The store's control API can set them for the installation.
  ///   - storeTimeout: the time that the store has to answer a call, and that a payment waits for the store before its
  ///     confirmation has left. After that, the payment fails with `SKErrorDomain` 0.
  ///   - retry: decides when a failed call is retried.
  ///   - clock: measures the waits, and gives the dates at which payments are added.
  ///   - makeUUID: makes the ids of payments and installations.
  ///   - report: receives problems that cannot be reported to the app by a transaction or a request. By default they
  ///     are written to standard error.
  /// - Throws: `DurableSQLiteError` if the folder is in use, is damaged, or was written by a newer version;
  ///   ``StoreKitDeviceError/folderOfAnotherApp(_:_:)``; ``StoreKitDeviceError/folderOfAnotherDevice(_:)``.
  public convenience init(
    connection: any AppStoreConnection, bundleID: BundleID, environment: StoreEnvironment = .sandbox,
    applicationVersion: String = "1.0", storage: Storage, deviceID: UUID? = nil,
    customer: any StoreCustomer = AutomaticCustomer(credentials: SignInCredentials(account: "customer")),
    switches: DeviceSwitches = DeviceSwitches(), storeTimeout: Duration = DeviceSettings.defaultStoreTimeout,
    retry: any RetrySchedule = TimedRetry(.upToAMinute), clock: any MachineClock = SystemClock(),
    makeUUID: @escaping @Sendable () -> UUID = { UUID() },
    report: @escaping @Sendable (StoreKitProblem) -> Void = StoreKitDevice.writeToStandardError
  ) throws {
    try self.init(
      connection: connection, watching: { $0 }, bundleID: bundleID, environment: environment,
      applicationVersion: applicationVersion, storage: storage, deviceID: deviceID, customer: customer,
      switches: switches, storeTimeout: storeTimeout, retry: retry, clock: clock, makeUUID: makeUUID, report: report)
  }

  /// Opens an installation, or makes a new one.
  ///
  /// - Parameters:
  ///   - watching: wraps the connection as the device uses it: calls that fail because the device is offline pass through
  ///     the result, too.
  ///   - isOfTestBed: whether it can be called synchronously, and an installation in memory uses the database of an earlier
  ///     one again.
  package init(
    connection: any AppStoreConnection, watching: (any AppStoreConnection) -> any AppStoreConnection = { $0 },
    bundleID: BundleID, environment: StoreEnvironment, applicationVersion: String, storage: Storage, deviceID: UUID?,
    customer: any StoreCustomer, switches: DeviceSwitches, storeTimeout: Duration, retry: any RetrySchedule,
    clock: any MachineClock, makeUUID: @escaping @Sendable () -> UUID, isOfTestBed: Bool = false,
    report: @escaping @Sendable (StoreKitProblem) -> Void
  ) throws {
    let folder: URL
    switch storage {
    case .directory(let url):
      (folder, scratch) = (url, nil)
      journal = try PaymentJournal(
        at: url.appending(path: "payment-queue.sqlite"), bundleID: bundleID, environment: environment,
        deviceID: deviceID, makeUUID: makeUUID)
    case .inMemory:
      folder = FileManager.default.temporaryDirectory.appending(path: "StoreKitDevice-\(UUID().uuidString)")
      scratch = folder
      journal = try PaymentJournal(
        at: nil, bundleID: bundleID, environment: environment, deviceID: deviceID, makeUUID: makeUUID,
        reusesDatabase: isOfTestBed)
    }
    self.bundleID = bundleID
    self.environment = environment
    self.switches = switches
    switches.adopt(try journal.settings())
    installationID = journal.installationID
    self.deviceID = journal.deviceID
    let receiptFile = AppReceiptFile(
      url: folder.appending(path: "StoreKit/\(environment == .production ? "receipt" : "sandboxReceipt")"))
    receiptURL = receiptFile.url
    // Writes the receipt file. The file is also written at each launch, because it is only a copy of the receipt in the
    // journal, and a power failure may have removed it.
    let receiptDidArrive: @Sendable (Data) -> Void = { receipt in
      do { try receiptFile.write(receipt) } catch { report(.receipt("\(receiptFile.url.path): \(error)")) }
    }
    if let receipt = try journal.receipt() { receiptDidArrive(receipt) }

    let listener = ObserverDelivery(report: report)
    let receiver = LockedValue(EventReceiver())
    session = StoreSession(
      connection: watching(SwitchedConnection(base: connection, switches: switches)),
      registration: InstallationRegistration(
        installationID: journal.installationID, bundleID: bundleID, environment: environment,
        deviceID: journal.deviceID, applicationVersion: applicationVersion),
      journal: journal, customer: customer, switches: switches, timeout: storeTimeout, clock: clock,
      notify: { news in await receiver.withLock { $0.engine }?.handle(news) })
    engine = PaymentQueueEngine(
      journal: journal, session: session, customer: customer, listener: listener,
      updates: UpdateRegistry(onUse: { receiver.withLock { $0.engine }?.send(.storeKit2Used) }), switches: switches,
      timeout: storeTimeout,
      retry: retry, clock: clock, isSynchronous: isOfTestBed, receiptDidArrive: receiptDidArrive)
    receiver.withLock { [engine] in $0.engine = engine }
    paymentQueue = SKPaymentQueue(
      engine: engine, delivery: listener, storefront: session.storefront, makeUUID: makeUUID)
    listener.queue = paymentQueue
    // Transactions from earlier launches are in the queue at once. An observer is notified of them when it is attached.
    let (entries, damaged) = try journal.entries()
    paymentQueue.state.post(entries.filter(\.isVisible))
    for text in damaged { report(.journal(text)) }
    engine.updates.owner = self
  }

  deinit {
    // Before the engine stops, so that loops over StoreKit 2's sequences end.
    engine.updates.close()
    let (engine, scratch) = (engine, scratch)
    Task {
      await engine.stop()
      if let scratch { try? FileManager.default.removeItem(at: scratch) }
    }
  }

  /// Stops the queue, and closes the folder. When it returns, all calls of `finishTransaction` are stored. Operations
  /// that are under way continue at the next launch.
  public func close() async throws {
    engine.updates.close()
    await engine.stop()
    try journal.close()
    if let scratch { try? FileManager.default.removeItem(at: scratch) }
  }

  // MARK: Actions of the customer

  /// Signs another customer in. Confirmed payments stay with the account that confirmed them.
  ///
  /// - Throws: `StoreRefusal` with `signInRefused`; `StoreConnectionFailure`.
  public func signIn(_ credentials: SignInCredentials) async throws { try await session.signIn(credentials) }

  /// Signs the customer out. The next purchase asks for a sign-in.
  ///
  /// - Throws: `StoreRefusal`, `StoreConnectionFailure`.
  public func signOut() async throws { try await session.signOut() }

  /// Call it when the app returns to the foreground. Observers are notified of unfinished transactions, and the store
  /// is asked for new ones.
  public func applicationWillEnterForeground() { paymentQueue.comeToForeground() }

  public static let writeToStandardError: @Sendable (StoreKitProblem) -> Void = { problem in
    // If standard error cannot be written, the problem is lost.
    try? FileHandle.standardError.write(contentsOf: Data("StoreKit: \(problem)\n".utf8))
  }

  /// The engine that receives the events of the session. It is set later, because making the engine needs the session.
  private struct EventReceiver: Sendable {
    weak var engine: PaymentQueueEngine?
  }
}
