import Foundation
import StoreModel

/// The payment queue behind `SKPaymentQueue`: it journals, forwards, delivers, finishes.
///
/// Local commands are handled in the order they are given and never wait for the store. Three couriers talk to the
/// store, each doing one thing at a time: one forwards payments, one sends finishes and fetches what is unfinished, and one
/// listens to what happens in the store. A restore sends finishes, too. A list that was asked for before a finish was
/// acknowledged cannot bring the finished transaction back: see ``AcknowledgedFinishes``. The answer to a payment cannot,
/// because it only ever changes that payment's own entry.
actor PaymentQueueEngine {
  enum Command: Sendable {
    case add(PaymentRequest)
    case finish(Int64)
    case observerAdded
    /// - Parameter applicationUsername: for payments that have none of their own.
    case restore(applicationUsername: String?)
    /// Resumes when everything before it has been carried out.
    case drain(CheckedContinuation<Void, Never>)
  }

  /// What the app answered to the changes up to a cursor.
  struct AnsweredChanges: Sendable {
    let cursor: ChangeCursor
    let accepted: [PaymentRequest]
  }

  let journal: PaymentJournal
  let session: StoreSession
  let customer: any StoreCustomer
  let listener: any QueueListener
  let paymentsAllowed: @Sendable () -> Bool
  let clock: any MachineClock
  let receiptDidArrive: @Sendable (Data) -> Void
  var needsUnfinished = true
  /// Whether the payments that wait for approval are to be asked about.
  var decisionsAreDue = true
  /// Whether the store was out of reach when it was last listened to.
  var hasLostTouch = false
  /// Changes that the app was asked about, and whose processing is not stored yet.
  var answeredChanges: AnsweredChanges?
  var isRestoring = false
  var acknowledgedFinishes = AcknowledgedFinishes()
  private(set) var isStopped = false
  private let commands: AsyncStream<Command>.Continuation
  private(set) var payments: RetryingWorker?
  private(set) var finishes: RetryingWorker?
  private var listening: RetryingWorker?

  init(
    journal: PaymentJournal, session: StoreSession, customer: any StoreCustomer, listener: any QueueListener,
    paymentsAllowed: @escaping @Sendable () -> Bool, retry: any RetrySchedule,
    clock: any MachineClock = SystemClock(), receiptDidArrive: @escaping @Sendable (Data) -> Void
  ) {
    self.journal = journal
    self.session = session
    self.customer = customer
    self.listener = listener
    self.paymentsAllowed = paymentsAllowed
    self.clock = clock
    self.receiptDidArrive = receiptDidArrive
    let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
    commands = continuation
    Task { [weak self] in
      await self?.startCouriers(retry: retry)
      for await command in stream { await self?.handle(command) }
    }
  }

  deinit { commands.finish() }

  /// Gives a command; returns at once.
  ///
  /// - Returns: false if the queue was closed, and the command is not carried out.
  @discardableResult
  nonisolated func send(_ command: Command) -> Bool {
    if case .terminated = commands.yield(command) { false } else { true }
  }

  /// Carries out the commands given so far, and ends.
  func stop() async {
    await withCheckedContinuation { drained in
      if !send(.drain(drained)) { drained.resume() }
    }
    commands.finish()
    payments?.stop()
    finishes?.stop()
    listening?.breakOff()
    isStopped = true
  }

  /// Passes on what the session found out about the store.
  func hear(_ news: StoreSession.News) {
    switch news {
    case .epochEnded:
      needsUnfinished = true
      decisionsAreDue = true
      payments?.wake()
      finishes?.wake()
    case .storefrontChanged: listener.storefrontChanged()
    }
  }

  /// Whether there is a reason to talk to the store.
  var isActive: Bool { !isStopped && listener.hasObservers }

  private func startCouriers(retry: any RetrySchedule) {
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
      case .restore(let username): restore(applicationUsername: username)
      case .drain(let drained): drained.resume()
      }
    } catch {
      listener.report(.journal("The payment queue's journal cannot be read or written: \(error)"))
    }
  }

  private func add(_ payment: PaymentRequest) throws {
    let entry: QueueEntry
    do {
      entry = try journal.add(payment)
    } catch {
      // What cannot be journalled must not be sent: a charge could follow that nobody here remembers.
      listener.failedUnwritten(
        payment,
        PaymentFailure(
          .unknown, "The purchase could not be started.",
          underlying: "The payment journal cannot be written: \(error)"))
      return
    }
    listener.updated([entry])
    payments?.wake()
  }

  private func observerAdded() {
    needsUnfinished = true
    decisionsAreDue = true
    payments?.wake()
    finishes?.wake()
    listening?.wake()
  }

  /// Commits an event and performs its effects.
  func apply(_ event: PaymentEvent, to sequence: Int64) throws {
    guard let (entry, effects) = try journal.apply(event, to: sequence) else { return }
    perform(effects, on: entry)
  }

  /// Performs the effects of an event that was committed.
  func perform(_ effects: [PaymentEffect], on entry: QueueEntry) {
    for effect in effects {
      switch effect {
      case .tellUpdated: listener.updated([entry])
      case .tellRemoved: listener.removed([entry.sequence])
      case .sendFinish: finishes?.wake()
      }
    }
  }

  func report(_ error: any Error) {
    // What was under way when the device was closed has nobody left to tell.
    if isStopped || error is CancellationError { return }
    listener.report(.store("\(error)"))
  }
}
