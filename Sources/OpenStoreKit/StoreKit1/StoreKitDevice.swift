import Foundation
import SignedData
import StoreModel

/// The device an app's StoreKit runs on: one installation of one app, its payment journal, its customer, its store.
///
/// ```swift
/// StoreKitDevice.current = try StoreKitDevice(
///   connection: store, bundleID: "com.example.game", storage: .inMemory,
///   customer: AutomaticCustomer(credentials: SignInCredentials(account: "customer")))
/// SKPaymentQueue.default().add(observer)
/// ```
///
/// An app that only says `import StoreKit` needs none of this: the device is then made from the environment
/// (`OPENSTOREKIT_URL` and its companions) at the first call.
public final class StoreKitDevice: Sendable {
  /// Where the installation keeps its journal and receipt.
  public enum Storage: Hashable, Sendable {
    /// A folder of its own, which one process at a time can have open.
    case directory(URL)
    /// Nothing outlives the process, except in the store. For tests.
    case inMemory
  }

  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// Whether purchases are allowed on this device; `SKPaymentQueue.canMakePayments()` says the same. May be changed at any
  /// time, as in a phone's settings; what was confirmed before goes on.
  public var paymentsAllowed: Bool {
    get { paymentPermission.value }
    set { paymentPermission.value = newValue }
  }
  /// This installation, as the store knows it.
  public let installationID: InstallationID
  /// The device's `identifierForVendor`, which its receipts are bound to.
  public let deviceID: UUID
  /// Where the app receipt is, once there is one: what `Bundle.main.appStoreReceiptURL` gives.
  public let receiptURL: URL
  /// The queue of this device. `SKPaymentQueue.default()` is the current device's.
  public let paymentQueue: SKPaymentQueue

  let session: StoreSession
  let engine: PaymentQueueEngine
  let journal: PaymentJournal
  private let paymentPermission: LockedValue<Bool>
  private let scratch: URL?

  /// Opens the installation, or makes a new one. Nothing is sent before something is asked for.
  ///
  /// - Parameters:
  ///   - connection: how the store is reached: an `EmulatedAppStore` in this process, or ``HTTPAppStoreConnection``.
  ///   - bundleID: the app.
  ///   - environment: `.sandbox` or `.production`.
  ///   - applicationVersion: the app's version, which receipts repeat.
  ///   - storage: where the installation lives.
  ///   - deviceID: `identifierForVendor`; nil for a new device. An installation that exists keeps its own.
  ///   - customer: who answers the sheets.
  ///   - paymentsAllowed: false for a device with restrictions.
  ///   - retry: when a store that did not answer is asked again.
  ///   - makeUUID: where payment and installation ids come from.
  ///   - report: told what no transaction can carry; writes to standard error by default.
  /// - Throws: `DurableSQLiteError` where the folder is in use, damaged or newer;
  ///   ``StoreKitDeviceError/folderOfAnotherApp(_:_:)``.
  public init(
    connection: any AppStoreConnection, bundleID: BundleID, environment: StoreEnvironment = .sandbox,
    applicationVersion: String = "1.0", storage: Storage, deviceID: UUID? = nil,
    customer: any StoreCustomer = AutomaticCustomer(credentials: SignInCredentials(account: "customer")),
    paymentsAllowed: Bool = true, retry: any RetrySchedule = ExponentialRetry(),
    makeUUID: @escaping @Sendable () -> UUID = { UUID() },
    report: @escaping @Sendable (StoreKitProblem) -> Void = StoreKitDevice.writeToStandardError
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
        at: nil, bundleID: bundleID, environment: environment, deviceID: deviceID, makeUUID: makeUUID)
    }
    self.bundleID = bundleID
    self.environment = environment
    let paymentPermission = LockedValue(paymentsAllowed)
    self.paymentPermission = paymentPermission
    installationID = journal.installationID
    self.deviceID = journal.deviceID
    let receiptFile = AppReceiptFile(
      url: folder.appending(path: "StoreKit/\(environment == .production ? "receipt" : "sandboxReceipt")"))
    receiptURL = receiptFile.url
    // The journal's receipt was committed with the transaction; the file is its copy, and may have been lost with
    // the power.
    let receiptDidArrive: @Sendable (Data) -> Void = { receipt in
      do { try receiptFile.write(receipt) } catch { report(.receipt("\(receiptFile.url.path): \(error)")) }
    }
    if let receipt = try journal.receipt() { receiptDidArrive(receipt) }

    let listener = ObserverDelivery(report: report)
    let receiver = LockedValue(EventReceiver())
    session = StoreSession(
      connection: connection,
      registration: InstallationRegistration(
        installationID: journal.installationID, bundleID: bundleID, environment: environment,
        deviceID: journal.deviceID, applicationVersion: applicationVersion),
      journal: journal, customer: customer,
      tell: { news in await receiver.withLock { $0.engine }?.hear(news) })
    engine = PaymentQueueEngine(
      journal: journal, session: session, customer: customer, listener: listener,
      paymentsAllowed: { paymentPermission.value },
      retry: retry, receiptDidArrive: receiptDidArrive)
    receiver.withLock { [engine] in $0.engine = engine }
    paymentQueue = SKPaymentQueue(
      engine: engine, delivery: listener, storefront: session.storefront, makeUUID: makeUUID)
    listener.queue = paymentQueue
    // What is in the queue from before is there at once; observers are told of it when they are attached.
    let (entries, damaged) = try journal.entries()
    paymentQueue.board.post(entries.filter(\.state.isVisible))
    for words in damaged { report(.journal(words)) }
  }

  deinit {
    let (engine, scratch) = (engine, scratch)
    Task {
      await engine.stop()
      if let scratch { try? FileManager.default.removeItem(at: scratch) }
    }
  }

  /// Ends the queue's work and gives the folder free. What was finished is on record as finished when it returns; what
  /// is under way with the store goes on at the next launch.
  public func close() async throws {
    await engine.stop()
    try journal.close()
    if let scratch { try? FileManager.default.removeItem(at: scratch) }
  }

  // MARK: What a person does with the phone

  /// Signs another customer in. Payments that were confirmed stay with the account that confirmed them.
  ///
  /// - Throws: `StoreRefusal` with `signInRefused`; `StoreConnectionFailure`.
  public func signIn(_ credentials: SignInCredentials) async throws { try await session.signIn(credentials) }

  /// Leaves nobody signed in; the next purchase asks.
  ///
  /// - Throws: `StoreRefusal`, `StoreConnectionFailure`.
  public func signOut() async throws { try await session.signOut() }

  /// To be called when the app comes back to the foreground: observers are told again of what is unfinished, and the
  /// store is asked for more.
  public func applicationWillEnterForeground() { paymentQueue.comeToForeground() }

  public static let writeToStandardError: @Sendable (StoreKitProblem) -> Void = { problem in
    // Where it is closed, or full, there is nowhere to say so.
    try? FileHandle.standardError.write(contentsOf: Data("StoreKit: \(problem)\n".utf8))
  }

  /// The engine that receives what the session reports. The engine needs the session when it is made, so it is set afterwards.
  private struct EventReceiver: Sendable {
    weak var engine: PaymentQueueEngine?
  }
}
