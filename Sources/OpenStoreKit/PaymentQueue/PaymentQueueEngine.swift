import Foundation
import StoreModel

/// The payment queue behind `SKPaymentQueue`: stores payments, sends them, delivers transactions and finishes them.
///
/// Commands of the app are processed in order, and never wait for the store. Three workers call the store, each with
/// one call at a time: one sends payments, one sends finishes and requests unfinished transactions, and one receives
/// changes. A restore also sends finishes, and ``takeInTransactions(pageSize:pageLimit:)`` also requests unfinished
/// transactions, both beside the workers.
///
/// A list that was requested before a finish was acknowledged cannot bring the finished transaction back: see
/// ``AcknowledgedFinishes``. The answer to a payment cannot do so either, because it only changes the payment's own
/// entry.
actor PaymentQueueEngine {
  enum Command: Sendable {
    case add(PaymentRequest)
    case finish(Int64)
    case observerAdded
    /// The app has used StoreKit 2 for the first time in this launch.
    case storeKit2Used
    /// - Parameter applicationUsername: the username to show in restored payments whose purchase has none.
    case restore(applicationUsername: String?)
    /// Resumes when all earlier commands were processed.
    case drain(CheckedContinuation<Void, Never>)
  }

  /// The payments that the app accepted for the changes up to a cursor.
  struct AnsweredChanges: Sendable {
    let cursor: ChangeCursor
    let accepted: [PaymentRequest]
    let intents: [IntentUpdate]
  }

  /// Runs the jobs of a device that a test session calls synchronously; nil for other devices.
  private let executor: EngineExecutor?
  /// Runs the jobs of the other devices, as an actor without an executor of its own does: without a change of threads where
  /// that is possible.
  private let lane = Lane()
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor?.asUnownedSerialExecutor() ?? lane.unownedExecutor
  }

  private actor Lane {}

  let journal: PaymentJournal
  let session: StoreSession
  let customer: any StoreCustomer
  let listener: any QueueListener
  /// The iterators of StoreKit 2's endless sequences.
  let updates: UpdateRegistry
  let switches: DeviceSwitches
  /// The time that a payment waits for the store before its confirmation has left.
  let timeout: Duration
  let clock: any MachineClock
  let receiptDidArrive: @Sendable (Data) -> Void
  var needsUnfinished = true
  /// Whether to ask the store for decisions on the payments that wait for approval.
  var decisionsAreDue = true
  /// Whether the last call for changes could not reach the store.
  var isDisconnected = false
  /// Changes for which the app was called, but which are not stored as processed yet.
  var answeredChanges: AnsweredChanges?
  /// The last change that was received while the device was offline, when only changes of settings are processed; nil
  /// while it is online.
  var offlineCursor: ChangeCursor?
  /// Ends the call that waits for changes; nil if there is none.
  var endPoll: (@Sendable () -> Void)?
  /// The payments with a wait of their own, by the numbers of their entries.
  var waits: [Int64: StoreWait] = [:]
  /// Whether the store was asked, and has not answered yet.
  var isAskingStore = false
  /// The wait of the other payments; nil if the store is not asked, or has not answered soon.
  var unnoticedWait: UnnoticedWait?
  /// Whether the store has answered in this run of the app. From then on, each payment has the whole time.
  var hasStoreAnswered = false
  /// The unfinished payments whose time does not include an earlier run of the app.
  var waitsAnew: Set<Int64> = []
  /// The confirmed payments whose confirmation has certainly not left. After a relaunch, that is not known any more.
  var unsentConfirmations: Set<Int64> = []
  /// The payment whose confirmation is being sent.
  var sending: Int64?
  /// The request for a payment that is not confirmed, and the function that ends it.
  var request: (sequence: Int64, abort: @Sendable () -> Void)?
  var isRestoring = false
  /// The number of calls of ``takeInNow(from:)`` and ``forget(_:)``. An answer that was requested before one of them is out of
  /// date.
  var synchronousChanges = 0
  /// Whether a call of ``begin(_:_:at:)`` or ``takeInNow(from:)`` has taken in everything. The store announces what comes later.
  var isTakenIn = false
  var acknowledgedFinishes = AcknowledgedFinishes()
  /// Where the last call of ``takeInTransactions(pageSize:pageLimit:)`` has stopped because of its maximum number of pages;
  /// nil if it has not. It is after the stored revision if a transaction in between was not verified.
  var placeAtPageLimit: TransactionPlace?
  /// The calls of `Product.purchase(options:)` that wait, by the numbers of their entries.
  var callers: [Int64: PurchaseCaller] = [:]
  /// The refreshes, and what they have found out in this launch.
  var refreshing = Refreshing()
  /// The maximum time that a call of the app waits for a refresh. A test waits longer, because a busy machine may need more.
  nonisolated let refreshTimeout = LockedValue(Duration.seconds(1))
  /// The last announcement that the iterators of `Transaction.updates` have.
  var sentAnnouncement: Int64
  /// The transactions that were sent to the iterators of `Transaction.updates` in this launch.
  var sentTransactions: Set<TransactionID> = []
  /// The unverified transactions that `Transaction.updates` has delivered in this launch.
  var sentUnverified: Set<TransactionID> = []
  /// Whether the app was told that no iterator of `Transaction.updates` is registered.
  var hasReportedNoListener = false
  /// Whether an earlier launch has used StoreKit 2 on this installation; nil until it was read.
  private var hasUsedStoreKit2: Bool?
  private(set) var isStopped = false
  private let commands: AsyncStream<Command>.Continuation
  private(set) var payments: RetryingWorker?
  private(set) var finishes: RetryingWorker?
  private(set) var listening: RetryingWorker?

  init(
    journal: PaymentJournal, session: StoreSession, customer: any StoreCustomer, listener: any QueueListener,
    updates: UpdateRegistry, switches: DeviceSwitches, timeout: Duration, retry: any RetrySchedule,
    clock: any MachineClock, isSynchronous: Bool = false, receiptDidArrive: @escaping @Sendable (Data) -> Void
  ) {
    executor = isSynchronous ? EngineExecutor() : nil
    self.journal = journal
    self.session = session
    self.customer = customer
    self.listener = listener
    self.updates = updates
    self.switches = switches
    self.timeout = timeout
    self.clock = clock
    self.receiptDidArrive = receiptDidArrive
    // What earlier launches have announced is read when an iterator is registered.
    sentAnnouncement = journal.announcing.value.last
    let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
    commands = continuation
    switches.observe { [weak self] in
      guard let self else { return }
      Task { await self.switchesChanged() }
    }
    Task { [weak self] in
      await self?.startWorkers(retry: retry)
      for await command in stream { await self?.handle(command) }
    }
  }

  deinit { commands.finish() }

  /// Adds a command to the queue, and returns at once.
  ///
  /// - Returns: false if the queue was closed. The command is then not processed.
  @discardableResult
  nonisolated func send(_ command: Command) -> Bool {
    if case .terminated = commands.yield(command) { false } else { true }
  }

  /// Does `work` on the calling thread, between two jobs of this actor.
  nonisolated func sync<Value: Sendable>(_ work: (isolated PaymentQueueEngine) throws -> Value) rethrows -> Value {
    guard let executor else { preconditionFailure("only the device of a test bed can be called synchronously") }
    return try executor.sync { try assumeIsolated(work) }
  }

  /// Processes all earlier commands, and stops.
  func stop() async {
    await withCheckedContinuation { drained in
      if !send(.drain(drained)) { drained.resume() }
    }
    commands.finish()
    payments?.stop()
    finishes?.stop()
    listening?.breakOff()
    isStopped = true
    endWaits()
    for caller in callers.values { caller.result.give(.failure(StoreKitDeviceError.closed)) }
    callers = [:]
  }

  /// Handles an event of the session.
  func handle(_ news: StoreSession.News) {
    switch news {
    case .epochEnded:
      needsUnfinished = true
      decisionsAreDue = true
      payments?.wake()
      finishes?.wake()
      refreshSoon()
    case .storefrontChanged:
      listener.storefrontChanged()
      if let storefront = session.storefront.value {
        updates.storefronts.send([StorefrontUpdate(storefront: storefront)])
      }
    case .signedIn: refreshSoon()
    }
  }

  /// Continues with what has waited for the network.
  private func switchesChanged() {
    guard !switches.isOffline else { return }
    payments?.wake()
    finishes?.wake()
    listening?.wake()
    // The changes that were skipped while the device was offline are requested at once.
    if offlineCursor != nil || updates.isInUse && !refreshing.pollFollows { endPoll?() }
  }

  /// Whether to call the store: there are observers or StoreKit 2 is in use, and the queue is not closed.
  var isActive: Bool { !isStopped && (listener.hasObservers || updates.isInUse) }

  /// Whether transactions are announced: StoreKit 2 is in use, or was used by an earlier launch.
  var announces: Bool {
    if updates.isInUse { return true }
    if let hasUsedStoreKit2 { return hasUsedStoreKit2 }
    // A journal that cannot be read is reported by the commit that follows.
    let hasUsed = try? journal.usesStoreKit2()
    hasUsedStoreKit2 = hasUsed
    return hasUsed == true
  }

  private func startWorkers(retry: any RetrySchedule) {
    payments = RetryingWorker(retry: retry) { [weak self] in await self?.forwardPayments() ?? true }
    finishes = RetryingWorker(retry: retry) { [weak self] in await self?.settle() ?? true }
    listening = RetryingWorker(retry: retry) { [weak self] in await self?.listen() ?? true }
  }

  // MARK: Commands

  private func handle(_ command: Command) {
    do {
      switch command {
      case .add(let payment): try add(payment)
      case .finish(let sequence): try apply(.finishRequested, to: sequence)
      case .observerAdded: observerAdded()
      case .storeKit2Used: try storeKit2Used()
      case .restore(let username): restore(applicationUsername: username)
      case .drain(let drained): drained.resume()
      }
    } catch {
      reportJournal(error)
    }
  }

  private func add(_ payment: PaymentRequest) throws {
    let entry: QueueEntry
    do {
      entry = try journal.add(payment, at: clock.now)
    } catch {
      // A payment that is not stored must not be sent, because its charge would be unknown after a relaunch.
      listener.failedUnwritten(
        payment,
        PaymentFailure(
          .unknown, "The purchase could not be started.",
          underlying: "The payment journal cannot be written: \(error)"))
      return
    }
    listener.updated([entry])
    waitsAnew.insert(entry.sequence)
    payments?.wake()
    try beginWait(entry)
  }

  private func observerAdded() {
    if isTakenIn {
      (needsUnfinished, decisionsAreDue) = (false, false)
    } else {
      (needsUnfinished, decisionsAreDue) = (true, true)
    }
    payments?.wake()
    finishes?.wake()
    listening?.wake()
  }

  private func storeKit2Used() throws {
    // The workers work also if that cannot be stored: payments of earlier launches wait.
    observerAdded()
    refreshSoon()
    try journal.setUsesStoreKit2()
    try showStoredMessages()
  }

  /// Commits an event and performs its effects.
  func apply(_ event: PaymentEvent, to sequence: Int64) throws {
    guard let (entry, effects) = try journal.apply(event, to: sequence) else { return }
    perform(effects, on: entry)
    sendAnnounced()
  }

  /// Performs the effects of an event that was committed.
  func perform(_ effects: [PaymentEffect], on entry: QueueEntry) {
    for effect in effects {
      switch effect {
      case .notifyUpdated: show([entry])
      case .notifyRemoved: listener.removed([entry.sequence])
      case .sendFinish: finishes?.wake()
      }
    }
  }

  /// Reports changed entries that were committed: to the observers of StoreKit 1, to the calls of
  /// `Product.purchase(options:)` that wait, and to the iterators of `Transaction.updates`.
  func show(_ entries: [QueueEntry]) {
    for entry in entries where entry.isOfStoreKit2 { answerCaller(of: entry) }
    let visible = entries.filter(\.isVisible)
    if !visible.isEmpty { listener.updated(visible) }
    sendAnnounced()
  }

  func report(_ error: any Error) {
    // The device was closed, so errors of its last operations are not reported.
    if isStopped || error is CancellationError { return }
    listener.report(.store("\(error)"))
  }
}

extension PaymentQueueEngine {
  /// Loads, verifies and stores the current app receipt.
  func refreshReceipt() async throws {
    try await session.refreshReceipt()
    try publishReceipt()
  }

  /// Writes the newest receipt to the receipt file after a commit. Errors are reported, because what was committed must be
  /// shown in any case. The next receipt, or the next launch, writes the file.
  func publishCommittedReceipt() {
    do { try publishReceipt() } catch { reportJournal(error) }
  }

  /// Writes the newest receipt of the journal to the receipt file.
  func publishReceipt() throws {
    if let receipt = try journal.receipt() { receiptDidArrive(receipt) }
  }
}

/// Receives the changes of the queue, in the order in which they were committed.
protocol QueueListener: Sendable {
  /// Whether the app has an observer. Without one, nothing is sent to the store.
  var hasObservers: Bool { get }
  func updated(_ entries: [QueueEntry])
  func removed(_ sequences: [Int64])
  /// The restore has ended, and all restored transactions were reported. `error` is nil if it succeeded.
  func restoreEnded(_ error: (any Error)?)
  func storefrontChanged()
  /// Notifies all observers that the customer no longer owns the products. Returns when all observers were notified.
  func revoked(_ products: [ProductID]) async
  /// Returns the payment to add for a purchase that the customer began in the App Store (a promoted purchase); nil if
  /// the app does not want it now.
  func shouldAddStorePayment(for listing: ProductListing) async -> PaymentRequest?
  /// Returns whether to continue a payment in another storefront than the one in which it was confirmed.
  func shouldContinue(_ sequence: Int64, in storefront: Territory) async -> Bool
  /// Reports a payment that could not be stored, and so was not sent.
  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure)
  /// Reports a problem that cannot be reported to the app by a transaction or a request.
  func report(_ problem: StoreKitProblem)
}
