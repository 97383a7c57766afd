import Foundation
import StoreModel

/// Who is told what the queue does. Called in the order in which things were committed.
protocol QueueListener: Sendable {
  /// Entries that are in the queue from before; nobody is told yet.
  func install(_ entries: [QueueEntry])
  func updated(_ entries: [QueueEntry])
  func removed(_ sequences: [Int64])
  /// A payment that could not be journalled, and so was never sent.
  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure)
  /// An observer was attached: it is told of everything in the queue.
  func replay(to observer: ObjectIdentifier)
  /// Something went wrong that no transaction can carry.
  func report(_ problem: StoreKitProblem)
}

/// The payment queue behind `SKPaymentQueue`: it journals, forwards, delivers, finishes.
///
/// Local commands are handled in the order they are given and never wait for the store. Two couriers talk to the
/// store, each doing one thing at a time: one forwards payments, the other sends finishes and fetches what is unfinished.
/// The second being one line is what keeps a list fetched before a finish from bringing the finished transaction back.
actor PaymentQueueEngine {
  enum Command: Sendable {
    case add(PaymentRequest)
    case finish(Int64)
    case observerAdded(ObjectIdentifier)
    case lastObserverRemoved
    /// Resumes when everything before it has been carried out.
    case drain(CheckedContinuation<Void, Never>)
  }

  private let journal: PaymentJournal
  private let session: StoreSession
  private let customer: any StoreCustomer
  private let listener: any QueueListener
  private let paymentsAllowed: Bool
  private let receiptDidArrive: @Sendable (Data) -> Void
  private let commands: AsyncStream<Command>.Continuation
  private var payments: Courier?
  private var finishes: Courier?
  private var isLoaded = false
  private var hasObservers = false
  private var needsUnfinished = true
  private var isStopped = false

  init(
    journal: PaymentJournal, session: StoreSession, customer: any StoreCustomer, listener: any QueueListener,
    paymentsAllowed: Bool, retry: any RetrySchedule, receiptDidArrive: @escaping @Sendable (Data) -> Void
  ) {
    self.journal = journal
    self.session = session
    self.customer = customer
    self.listener = listener
    self.paymentsAllowed = paymentsAllowed
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
  nonisolated func send(_ command: Command) { commands.yield(command) }

  /// Carries out the commands given so far, and ends.
  func stop() async {
    await withCheckedContinuation { drained in
      if case .terminated = commands.yield(.drain(drained)) { drained.resume() }
    }
    commands.finish()
    payments?.stop()
    finishes?.stop()
    hasObservers = false
    isStopped = true
  }

  /// Tells of entries that failed because the store began another epoch.
  func epochEnded(_ entries: [QueueEntry]) {
    if isLoaded { listener.updated(entries) }
  }

  private func startCouriers(retry: any RetrySchedule) {
    payments = Courier(retry: retry) { [weak self] in await self?.forwardPayments() ?? true }
    finishes = Courier(retry: retry) { [weak self] in await self?.settle() ?? true }
  }

  // MARK: Commands

  private func handle(_ command: Command) {
    do {
      switch command {
      case .add(let payment): try add(payment)
      case .finish(let sequence): try apply(.finishRequested, to: sequence)
      case .observerAdded(let observer): try observerAdded(observer)
      case .lastObserverRemoved: hasObservers = false
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
    if isLoaded { listener.updated([entry]) }
    if paymentsAllowed {
      payments?.wake()
    } else {
      try apply(.failed(PaymentFailure(.paymentNotAllowed, "In-App Purchases are not allowed")), to: entry.sequence)
    }
  }

  private func observerAdded(_ observer: ObjectIdentifier) throws {
    if !isLoaded {
      listener.install(try journal.entries().filter(\.state.isVisible))
      isLoaded = true
    }
    hasObservers = true
    listener.replay(to: observer)
    needsUnfinished = true
    payments?.wake()
    finishes?.wake()
  }

  /// Commits an event and performs its effects.
  private func apply(_ event: PaymentEvent, to sequence: Int64) throws {
    guard let (entry, effects) = try journal.apply(event, to: sequence) else { return }
    for effect in effects {
      switch effect {
      case .tellUpdated: if isLoaded { listener.updated([entry]) }
      case .tellRemoved: listener.removed([entry.sequence])
      case .sendFinish: finishes?.wake()
      }
    }
  }

  // MARK: Forwarding payments

  private func forwardPayments() async -> Bool {
    do {
      while hasObservers, let entry = try journal.nextPayment() {
        try await forward(entry)
      }
      return true
    } catch {
      report(error)
      return false
    }
  }

  /// Brings one payment to its outcome. Throws where it has none yet: it then stays as it is, and is asked again.
  private func forward(_ entry: QueueEntry) async throws {
    var quote: PaymentQuote
    switch entry.state {
    case .added:
      do {
        guard let first = try await firstQuote(for: entry) else { return }
        quote = first
      } catch let refusal as StoreRefusal where refusal.endsPayment {
        // Nothing was confirmed, so nothing can have been charged.
        return try apply(.failed(Self.failure(for: refusal)), to: entry.sequence)
      }
      guard try await confirm(quote, of: entry) else { return }
    case .confirmed(let earlier):
      quote = earlier
    case .purchased, .failed, .finishing:
      return
    }
    while true {
      do {
        let confirmed = quote
        switch try await session.perform({ try await $0.confirm(confirmed, for: $1) }) {
        case .purchased(let batch):
          return try await accept(batch, answering: entry.payment)
        case .stale(let current):
          guard current.payment == entry.payment else {
            throw StoreKitDeviceError.deliveryMismatch("a quote for another payment")
          }
          guard try await confirm(current, of: entry) else { return }
          quote = current
        }
      } catch let refusal as StoreRefusal where refusal.endsPayment {
        return try apply(.failed(Self.failure(for: refusal)), to: entry.sequence)
      }
    }
  }

  /// A quote for a payment that was never confirmed; nil where the customer would not sign in.
  private func firstQuote(for entry: QueueEntry) async throws -> PaymentQuote? {
    do {
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
      guard try await session.signIn() else {
        try apply(.failed(Self.cancelled), to: entry.sequence)
        return nil
      }
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    }
  }

  /// Shows the sheet, and journals the answer before anything else happens.
  private func confirm(_ quote: PaymentQuote, of entry: QueueEntry) async throws -> Bool {
    switch await customer.confirm(quote) {
    case .cancel:
      try apply(.failed(Self.cancelled), to: entry.sequence)
      return false
    case .confirm:
      // Throws if it cannot be written: what is not journalled must not be sent.
      return try journal.apply(.confirmed(quote), to: entry.sequence) != nil
    }
  }

  private func accept(_ batch: DeliveryBatch, answering payment: PaymentRequest) async throws {
    let arrivals = try await session.verify(batch)
    guard
      arrivals.contains(where: {
        $0.payment == payment.paymentID && $0.transaction.productID == payment.productID
          && $0.transaction.quantity == payment.quantity
      })
    else { throw StoreKitDeviceError.deliveryMismatch("no transaction for \(payment.quantity) × \(payment.productID)") }
    try deliver(arrivals, receipt: batch.receipt)
  }

  // MARK: Finishing, and what is unfinished

  private func settle() async -> Bool {
    do {
      while hasObservers, let entry = try journal.nextFinish(), case .finishing(let id) = entry.state {
        do {
          try await session.perform { try await $0.finish(id, for: $1) }
        } catch let refusal as StoreRefusal where refusal.code == .unknownTransaction {
          // Another epoch of the store, or another store: nobody is left to be told.
          listener.report(.store("Transaction \(id) was finished here, but the store does not know it."))
        }
        try apply(.finishAcknowledged, to: entry.sequence)
      }
      if hasObservers, needsUnfinished {
        needsUnfinished = false
        do {
          let batch = try await session.perform { try await $0.unfinished(for: $1) }
          try deliver(try await session.verify(batch), receipt: batch.receipt)
        } catch {
          needsUnfinished = true
          throw error
        }
      }
      return true
    } catch {
      report(error)
      return false
    }
  }

  private func deliver(_ arrivals: [PaymentJournal.Arrival], receipt: Data?) throws {
    let changed = try journal.accept(arrivals, receipt: receipt)
    if let receipt { receiptDidArrive(receipt) }
    if isLoaded, !changed.isEmpty { listener.updated(changed) }
  }

  // MARK: Errors

  private func report(_ error: any Error) {
    // What was under way when the device was closed has nobody left to tell.
    if isStopped || error is CancellationError { return }
    listener.report(.store("\(error)"))
  }

  private static let cancelled = PaymentFailure(.paymentCancelled, "The customer cancelled.")

  private static func failure(for refusal: StoreRefusal) -> PaymentFailure {
    let code: SKError.Code =
      switch refusal.code {
      case .productNotAvailable: .storeProductNotAvailable
      case .paymentInvalid, .paymentConflict: .paymentInvalid
      default: .unknown
      }
    return PaymentFailure(code, refusal.message, underlying: "The store refused: \(refusal.code)")
  }
}
