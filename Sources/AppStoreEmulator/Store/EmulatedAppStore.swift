import DurableSQLite
import Foundation
import SignedData
import StoreModel

/// An emulated App Store: catalog, customers, purchases and receipts, all with real signatures.
///
/// ```swift
/// let store = try EmulatedAppStore(.inMemory())
/// try await store.serve("com.example.game", catalog: [try StoreKitConfiguration(contentsOf: file)])
/// let device = try StoreKitDevice(connection: store, …)
/// ```
///
/// It is an ``AppStoreConnection``, so a device in the same process needs no port. Every change is committed before the
/// answer is returned.
///
/// This type is a façade. Each request is a ``StoreOperation``. The store's rules are small types that use a
/// ``StoreUnitOfWork``.
public final class EmulatedAppStore: Sendable {
  /// The settings of a store.
  public struct Configuration: Sendable {
    /// The folder of the store's database; nil to keep it in memory.
    public var directory: URL?
    /// The folder of certificates and keys. If nil, it is `keys` in `directory`; stores in memory share keys within the
    /// process.
    public var keyDirectory: URL?
    /// The machine's clock. The store's clock follows it. Delayed answers and waiting calls of devices are timed with
    /// it.
    public var wallClock: any MachineClock
    /// Store seconds per second of `wallClock`.
    public var timeRate: Double
    /// The seed from which the store computes new identifiers. If nil, a new store gets a random seed, and an existing
    /// store keeps its seed.
    public var seed: UInt64?
    /// Whose signatures the store makes. A store with `.xcode` serves the environment Xcode and no other, and numbers its
    /// transactions from 0, as StoreKit testing in Xcode does.
    public var style = IssuingAuthority.Style.appStore
    /// Whether a store in memory uses the database of an earlier one again: see `ReusedDatabases`. Its user must not change the
    /// schema.
    package var reusesDatabase = false
    /// Receives problems that belong to no call. By default they are written to standard error.
    public var report: @Sendable (StoreProblem) -> Void = { problem in
      FileHandle.standardError.write(Data("App Store emulator: \(problem)\n".utf8))
    }

    public init(
      directory: URL?, keyDirectory: URL? = nil, wallClock: any MachineClock = SystemClock(), timeRate: Double = 1,
      seed: UInt64? = nil
    ) {
      self.directory = directory
      self.keyDirectory = keyDirectory
      self.wallClock = wallClock
      self.timeRate = timeRate
      self.seed = seed
    }

    public static func inMemory(wallClock: any MachineClock = SystemClock(), seed: UInt64? = nil) -> Configuration {
      Configuration(directory: nil, wallClock: wallClock, seed: seed)
    }
  }

  public let authority: IssuingAuthority
  public let clock: StoreClock
  /// The folder of the store's database; nil if the store is in memory.
  package let directory: URL?
  let database: StoreDatabase
  let faultRegistry: ActiveFaults
  let requestJournal: RequestJournal
  let storeActivity = StoreActivity()
  /// See ``setOCSPResponder(_:)``.
  let ocspResponder = LockedValue<URL?>(nil)
  /// See ``notificationPolicy``.
  let policy = LockedValue(NotificationPolicy())
  let notificationSending = NotificationSending()
  let services: StoreServices
  let pipeline: OperationPipeline

  /// Opens the store in `configuration.directory`, or creates it.
  ///
  /// - Throws: `DurableSQLiteError` if the folder is in use, or its database is damaged or was made by a newer version;
  ///   ``AppStoreEmulatorError``; or an error of reading the key folder.
  public convenience init(_ configuration: Configuration) throws {
    try self.init(configuration, projections: Self.projections)
  }

  /// - Parameter projections: see ``StoreDatabase``.
  init(_ configuration: Configuration, projections: [any EventProjection.Type]) throws {
    directory = configuration.directory
    guard DateTrio.pacific != nil else { throw AppStoreEmulatorError.noTimeZoneData }
    let file = try DurableSQLite.open(
      at: configuration.directory?.appending(path: "store.sqlite"), migrator: StoreSchema.migrator,
      reusedAs: configuration.reusesDatabase ? "store" : nil)
    let keys = configuration.keyDirectory ?? configuration.directory?.appending(path: "keys")
    let keptAuthority = try keys.map { try IssuingAuthority(keyDirectory: $0) } ?? .shared
    let styled = configuration.style == .xcode ? keptAuthority.ofXcode : keptAuthority
    authority = styled.issuing { [wallClock = configuration.wallClock, ocspResponder] in
      IssuingContext(wallDate: wallClock.now, ocspResponder: ocspResponder.value)
    }
    let row = try file.write { database in
      let row = try StoreRow.open(database, seed: configuration.seed, at: configuration.wallClock.now)
      try DeviceFeed(database: database).catchUp()
      return row
    }
    clock = StoreClock(
      following: configuration.wallClock, rate: configuration.timeRate,
      notBefore: max(row.lastDate, row.lastSignedDate), activity: storeActivity)
    faultRegistry = ActiveFaults(
      seed: UInt64(bitPattern: row.seed), activity: storeActivity, machine: configuration.wallClock)
    requestJournal = RequestJournal(
      capacity: Self.journalCapacity, signal: ChangeSignal(machine: configuration.wallClock), activity: storeActivity)
    let directory = InstallationDirectory()
    file.add(directory)
    file.add(RecordsObserver(storeActivity))
    database = try StoreDatabase(
      file, clock: clock, authority: authority, schedule: DueSchedule(kinds: Self.dueRows),
      projections: projections, machine: configuration.wallClock, report: configuration.report)
    services = StoreServices(
      database: database, clock: clock, signer: TransactionSigner(authority: authority), faults: faultRegistry,
      installationDirectory: directory, currentEpoch: LockedValue(row.epoch), receiptVerifier: MadeOnce())
    pipeline = OperationPipeline(
      store: services,
      middleware: [
        JournalMiddleware(journal: requestJournal, clock: clock), FaultMiddleware(faults: faultRegistry, clock: clock),
      ])
  }

  /// All kinds of due rows: see ``DueSchedule``.
  static let dueRows: [any DueRows.Type] = [
    Renewals.self, Approvals.self, InterruptedPurchases.self, MassExtensions.self,
  ]

  /// What is made from the events at the end of each commit, besides the devices' feed.
  static let projections: [any EventProjection.Type] = [NotificationOutbox.self]

  /// The maximum number of requests in the journal.
  static let journalCapacity = 10_000

  /// The store's epoch. A reset or a restored snapshot begins another epoch.
  public var epoch: StoreEpoch { services.currentEpoch.value }

  /// Closes the store after the current requests. Requests that a fault holds end without an answer. Later requests are
  /// refused.
  public func close() throws {
    notificationSending.end()
    faultRegistry.close()
    requestJournal.close()
    try database.close()
    storeActivity.end()
  }

  /// Returns a sequence with an element after every observable change of the records, the clock, the faults or the
  /// request journal.
  ///
  /// An element contains no information about the change. Several changes may share one element. The passing of time
  /// alone adds no element. The sequence ends when the store is closed.
  ///
  /// ```swift
  /// for await _ in store.activity() { show(try await store.transactions()) }
  /// ```
  public func activity() -> AsyncStream<Void> { storeActivity.changes() }
}

// MARK: Requests

extension EmulatedAppStore: AppStoreConnection {
  /// Answers a device's call.
  public func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    try await send(call, for: installation, caller: nil)
  }

  /// Answers a device's call. If `caller` is gone, the store stops waiting; see ``StoreCaller``.
  public func send<Call: StoreCall>(
    _ call: Call, for installation: InstallationID, caller: (any StoreCaller)?
  ) async throws -> Call.Answer {
    guard let deviceCall = call as? any DeviceCall,
      let answer = try await run(deviceCall, for: installation, caller) as? Call.Answer
    else { throw StoreRefusal(.malformedRequest, "This store has no operation \(Call.verb.rawValue).") }
    return answer
  }

  private func run(
    _ call: some DeviceCall, for installation: InstallationID, _ caller: (any StoreCaller)?
  ) async throws -> any Sendable {
    try await pipeline.run(DeviceOperation(call: call, installation: installation), for: caller)
  }

  /// Answers `verifyReceipt`.
  ///
  /// - Parameters:
  ///   - body: the request's body, a JSON object with `receipt-data`, and optionally `password` and
  ///     `exclude-old-transactions`.
  ///   - environment: the environment of the URL that the request was sent to.
  ///   - caller: the caller who waits for the answer. Pass nil if you cancel the task when you no longer need the
  ///     answer.
  /// - Throws: ``VerifyReceiptServerError`` or `StoreConnectionFailure` if a fault applies to the request; otherwise an
  ///   error of the database.
  public func verifyReceipt(
    _ body: Data, at environment: StoreEnvironment, caller: (any StoreCaller)? = nil
  ) async throws -> VerifyReceiptResponse {
    try await answer(
      VerifyReceiptEndpoint(BackendRequest(environment: environment, body: body)), for: caller)
  }

  /// Answers a backend's request.
  ///
  /// - Throws: a ``BackendError`` of its endpoint, or the errors of a fault.
  package func answer<Endpoint: BackendEndpoint>(
    _ request: Endpoint, for caller: (any StoreCaller)?
  ) async throws -> Endpoint.Answer {
    guard let call = request as? any BackendCall, let answer = try await run(call, caller) as? Endpoint.Answer else {
      preconditionFailure("\(Endpoint.name) has no rule: it conforms to neither ServerAPIRule nor BackendCall")
    }
    return answer
  }

  private func run(_ call: some BackendCall, _ caller: (any StoreCaller)?) async throws -> any Sendable {
    try await pipeline.run(BackendOperation(call: call), for: caller)
  }
}
