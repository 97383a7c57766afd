import StoreModel

/// A payment that waits for the store before its confirmation has left. It is then shown to the customer, who can cancel
/// it, and it fails after a limited time.
struct StoreWait: Sendable {
  let payment: PaymentRequest
  /// Gives the payment up when its time is over.
  let timer: Task<Void, Never>
  /// Shows the wait to the customer; nil if it is not shown yet.
  var prompt: Task<Void, Never>?
  /// The failure of a payment that was given up while its confirmation was being sent. It fails only if it turns out
  /// that the confirmation has not left.
  var failure: PaymentFailure?

  func end() {
    timer.cancel()
    prompt?.cancel()
  }
}

/// The common wait of the payments that have no ``StoreWait`` of their own. Most answers end it before it is noticed, so a
/// request needs one timer, however many payments wait.
struct UnnoticedWait: Sendable {
  /// The clock's nanoseconds at its beginning.
  let start: Int64
  let timer: Task<Void, Never>
}

/// Thrown by a request for a payment that was given up.
struct PaymentGivenUp: Error {}

// The waits of payments for the store. Documentation/payment-state-machine.md, "Waiting for the store", has the rules.
extension PaymentQueueEngine {
  /// The time after which a wait is shown, if no request has failed before. Most answers arrive earlier.
  private static let unnoticed = Duration.seconds(1)

  /// Begins the waits of all payments whose confirmation has not left. Called before a request to the store. Payments that
  /// wait already continue to wait.
  ///
  /// The payments behind the first one wait for the store, too, so none of them waits without a limit.
  func beginWaits() throws {
    guard !isAskingStore else {
      if unnoticedWait == nil { for entry in try journal.payments() { try beginWait(entry) } }
      return
    }
    isAskingStore = true
    unnoticedWait = UnnoticedWait(
      start: clock.nanoseconds,
      timer: Task { [weak self, clock, timeout] in
        guard (try? await clock.sleep(for: min(timeout, Self.unnoticed))) != nil else { return }
        await self?.noticeWaits()
      })
    guard !hasStoreAnswered else { return }
    // Only these can have less than the whole time.
    for entry in try journal.payments() where !waitsAnew.contains(entry.sequence) { try beginWait(entry) }
  }

  /// Ends the common wait. Each of its payments continues with a wait of its own.
  private func noticeWaits() {
    // A timer that was cancelled at its end is that of an earlier wait.
    guard let wait = unnoticedWait, !Task.isCancelled else { return }
    wait.timer.cancel()
    unnoticedWait = nil
    let waited = Duration.nanoseconds(clock.nanoseconds - wait.start)
    do {
      for entry in try journal.payments() { try beginWait(entry, after: waited) }
    } catch {
      reportUnwritten(error)
    }
  }

  /// Begins the wait of one payment, unless its confirmation may have left. If an earlier run of the app has used up its
  /// time, the payment fails instead.
  ///
  /// - Parameter waited: the part of its time that has passed in the common wait.
  func beginWait(_ entry: QueueEntry, after waited: Duration = .zero) throws {
    let sequence = entry.sequence
    guard isAskingStore, isActive, waits[sequence] == nil, mayBeGivenUp(entry) else { return }
    let limit = remainingTime(of: entry)
    guard limit > .zero else {
      return try apply(.failed(.noStore("The payment was not confirmed in time.")), to: sequence)
    }
    let timer = Task { [weak self, clock] in
      let unnoticed = min(limit, Self.unnoticed)
      if waited < unnoticed {
        guard (try? await clock.sleep(for: unnoticed - waited)) != nil else { return }
      }
      let shown = max(waited, unnoticed)
      if shown < limit {
        await self?.showWait(sequence)
        guard (try? await clock.sleep(for: limit - shown)) != nil else { return }
      }
      await self?.timeIsOver(of: sequence)
    }
    waits[sequence] = StoreWait(payment: entry.payment, timer: timer)
  }

  /// Whether a payment can fail without the store: its confirmation has certainly not left.
  private func mayBeGivenUp(_ entry: QueueEntry) -> Bool {
    switch entry.state {
    case .added: true
    case .confirmed: unsentConfirmations.contains(entry.sequence)
    case .deferred, .purchased, .restored, .failed, .finishing: false
    }
  }

  /// The time that a payment may wait. If an earlier run of the app has added it, its time began then.
  private func remainingTime(of entry: QueueEntry) -> Duration {
    guard !hasStoreAnswered, !waitsAnew.contains(entry.sequence) else { return timeout }
    guard let added = entry.addedDate else { return .zero }
    let age = Duration.milliseconds(clock.now.millisecondsSince1970 - added.millisecondsSince1970)
    // The clock was set back, so the age is unknown.
    return age < .zero ? .zero : timeout - age
  }

  /// Ends all waits, because the store has answered. If a payment waits again later, it has the whole time.
  func endWaits() {
    isAskingStore = false
    hasStoreAnswered = true
    unnoticedWait?.timer.cancel()
    unnoticedWait = nil
    for sequence in waits.keys { endWait(sequence) }
  }

  /// Ends all waits before a sheet appears for a payment.
  ///
  /// - Returns: false if the customer has cancelled the payment's wait at this moment. The payment has failed then, and
  ///   no sheet may appear.
  func endWaits(beforeSheetFor entry: QueueEntry) async throws -> Bool {
    let prompt = waits[entry.sequence]?.prompt
    endWaits()
    // Ends when the customer's own answer, if there is one, was processed.
    await prompt?.value
    return try journal.isAdded(entry.sequence)
  }

  func endWait(_ sequence: Int64) { waits.removeValue(forKey: sequence)?.end() }

  /// Shows all waits. Called when a request has failed. A payment whose confirmation was being sent is shown then, too.
  func showWaits() {
    noticeWaits()
    for sequence in waits.keys { showWait(sequence) }
  }

  /// Shows a wait, unless the payment's confirmation is being sent: the store may have charged it already.
  private func showWait(_ sequence: Int64) {
    guard sending != sequence, let wait = waits[sequence], wait.prompt == nil, wait.failure == nil else { return }
    waits[sequence]?.prompt = Task { [weak self, customer] in
      guard await customer.waitForStore(wait.payment) == .cancelled else { return }
      await self?.cancelled(sequence)
    }
  }

  /// Gives a payment up whose wait the customer has cancelled. If the wait has ended meanwhile, and the payment was
  /// neither confirmed nor given up, the cancellation counts nevertheless.
  private func cancelled(_ sequence: Int64) {
    if waits[sequence] != nil { return giveUp(sequence, .cancelled) }
    do {
      guard try journal.isAdded(sequence) else { return }
      try end(sequence, .cancelled)
    } catch {
      reportUnwritten(error)
    }
  }

  private func timeIsOver(of sequence: Int64) {
    // A timer that was cancelled at its end is that of an earlier wait.
    guard !Task.isCancelled else { return }
    giveUp(sequence, .noStore("The App Store did not answer within \(timeout)."))
  }

  /// Fails a payment that waits. If its confirmation is being sent at this moment, only the end of that request decides.
  private func giveUp(_ sequence: Int64, _ failure: PaymentFailure) {
    guard let wait = waits[sequence], wait.failure == nil else { return }
    guard sending != sequence else {
      wait.end()
      waits[sequence]?.failure = failure
      return
    }
    do {
      try end(sequence, failure)
    } catch {
      reportUnwritten(error)
    }
  }

  private func reportUnwritten(_ error: any Error) {
    listener.report(.journal("The payment queue's journal cannot be written: \(error)"))
  }

  private func end(_ sequence: Int64, _ failure: PaymentFailure) throws {
    try apply(.failed(failure), to: sequence)
    endWait(sequence)
    waitsAnew.remove(sequence)
    unsentConfirmations.remove(sequence)
    if let request, request.sequence == sequence { request.abort() }
  }

  /// Performs `work` for a payment that waits. Throws ``PaymentGivenUp`` as soon as the payment is given up.
  func unlessGivenUp<Value: Sendable>(
    _ entry: QueueEntry, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard try journal.isAdded(entry.sequence) else { throw PaymentGivenUp() }
    let first = FirstResult<Value>()
    request = (entry.sequence, { first.give(.failure(PaymentGivenUp())) })
    defer { request = nil }
    let value = try await first.value(or: work)
    // The payment may have been given up while the result was on its way.
    guard try journal.isAdded(entry.sequence) else { throw PaymentGivenUp() }
    return value
  }

  /// Records that the request with a payment's confirmation has failed.
  ///
  /// - Returns: whether the payment has failed, because it was given up and the confirmation has not left.
  func confirmationFailed(_ sequence: Int64, _ error: any Error) throws -> Bool {
    if case StoreConnectionFailure.unreachable = error {
      guard unsentConfirmations.contains(sequence), let failure = waits[sequence]?.failure else { return false }
      try end(sequence, failure)
      return true
    }
    // The confirmation may have left.
    unsentConfirmations.remove(sequence)
    endWait(sequence)
    return false
  }
}
