import StoreModel

extension PaymentQueueEngine {
  /// The maximum number of new quotes for one payment, before the worker pauses.
  private static let largestNumberOfQuotes = 10

  /// Sends the payments to the store one after the other, in order, until each has an outcome.
  ///
  /// - Returns: false if a payment has no outcome yet. This payment and the payments behind it are retried.
  func forwardPayments() async -> Bool {
    do {
      while isActive, let entry = try journal.firstPayment() {
        try await forward(entry)
        waitsAnew.remove(entry.sequence)
      }
      if isActive, decisionsAreDue {
        // Cleared first, so that a decision during the following calls can set it again.
        decisionsAreDue = false
        do {
          for entry in try journal.deferredPayments() {
            try await forward(entry)
            waitsAnew.remove(entry.sequence)
          }
        } catch {
          decisionsAreDue = true
          throw error
        }
      }
      return true
    } catch {
      showWaits()
      report(error)
      return false
    }
  }

  /// Sends one payment until it has an outcome. Throws if it has none yet: the payment then stays as it is, and is
  /// retried.
  private func forward(_ entry: QueueEntry) async throws {
    switch entry.state {
    case .added:
      guard let quote = try await confirmedQuote(for: entry) else { return }
      try await charge(quote, for: entry)
    case .confirmed(let quote):
      try await charge(quote, for: entry)
    case .deferred(let quote):
      try await charge(quote, for: entry)
    case .purchased, .restored, .failed, .finishing:
      return
    }
  }

  /// Returns a quote that the customer has confirmed, for a payment that was not confirmed before; nil if the payment
  /// has failed.
  private func confirmedQuote(for entry: QueueEntry) async throws -> PaymentQuote? {
    guard !switches.isRestricted else {
      try fail(entry, .notAllowed)
      return nil
    }
    if entry.isOfStoreKit2, let unfinished = try journal.unfinishedConsumable(of: entry.payment.productID) {
      // A payment that waited before this one has bought it.
      endWait(entry.sequence)
      try endPayment(entry, .cancelled, outcome: .purchased(unfinished))
      return nil
    }
    do {
      try beginWaits()
      let quote = try await unlessGivenUp(entry) { try await self.checkedQuote(for: entry) }
      guard try await endWaits(beforeSheetFor: entry) else { return nil }
      return try await confirm(quote, of: entry) ? quote : nil
    } catch is PaymentGivenUp {
      return nil
    } catch let refusal as StoreRefusal where !refusal.isRetryable {
      endWaits()
      // The customer confirmed nothing, so the store charged nothing.
      try await refused(entry, refusal)
      return nil
    } catch let failure as PaymentFailure {
      endWaits()
      try fail(entry, failure)
      return nil
    }
  }

  /// Fails a payment. If purchases are not allowed, also shows StoreKit's own alert, because some apps only log
  /// failures.
  private func fail(_ entry: QueueEntry, _ failure: PaymentFailure) throws {
    try apply(.failed(failure), to: entry.sequence)
    if failure.isNotAllowed { inform(.paymentsNotAllowed) }
  }

  /// Ends a payment that the store has refused.
  ///
  /// - Throws: the connection's error if the device cannot learn what a refusal of a payment of StoreKit 2 means. The
  ///   payment then stays as it is, and is retried.
  private func refused(_ entry: QueueEntry, _ refusal: StoreRefusal) async throws {
    guard entry.isOfStoreKit2 else { return try fail(entry, PaymentFailure(refusal)) }
    switch refusal.code {
    case .purchaseInterrupted:
      try endPayment(entry, PaymentFailure(refusal), outcome: .pending)
    case .alreadySubscribed:
      // The refusal answers with the subscription that the customer has.
      let held = try await heldSubscription(in: entry.payment.productID)
      try endPayment(entry, PaymentFailure(refusal), outcome: held.map { .purchased($0) })
    case .paymentInvalid where entry.payment.quantity != 1:
      var failure = PaymentFailure(refusal)
      failure.cause = .invalidQuantity
      try fail(entry, failure)
    default:
      try fail(entry, PaymentFailure(refusal))
    }
  }

  /// Shows an alert. Called after the app was notified. The payments behind do not wait for it, because the customer may
  /// never close it.
  func inform(_ notice: StoreNotice) { Task { [customer] in await customer.inform(notice) } }

  private func checkedQuote(for entry: QueueEntry) async throws -> PaymentQuote {
    let quote = try await firstQuote(for: entry)
    try await check(quote, for: entry)
    return quote
  }

  /// Requests the first quote for a payment. If no customer is signed in, the customer is asked to sign in first.
  ///
  /// - Throws: ``PaymentFailure`` if the customer did not sign in.
  private func firstQuote(for entry: QueueEntry) async throws -> PaymentQuote {
    do {
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
      try await session.signIn { await self.askToSignIn($0, for: entry) }
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    }
  }

  /// Shows the sign-in sheet, unless the payment was given up. While the sheet is open, the payment does not wait for the
  /// store.
  private func askToSignIn(_ reason: SignInReason, for entry: QueueEntry) async -> SignInAnswer {
    guard !isStopped, (try? journal.isAdded(entry.sequence)) == true,
      (try? await endWaits(beforeSheetFor: entry)) == true
    else {
      return .cancel
    }
    let answer = await customer.signIn(reason)
    // A journal that cannot be read is reported by the next step, which writes to it.
    try? beginWaits()
    return answer
  }

  /// Checks a quote before the sheet shows it: it must be for this payment, have the right total, and be of the current
  /// epoch.
  private func check(_ quote: PaymentQuote, for entry: QueueEntry) async throws {
    guard quote.payment == entry.payment, quote.hasConsistentTotal else {
      throw StoreKitDeviceError.deliveryMismatch(
        "a quote that is not for \(entry.payment.quantity) × the product asked for")
    }
    guard try await session.epoch() == quote.epoch else {
      await session.discardServerState()
      throw StoreKitDeviceError.deliveryMismatch("a quote of another epoch")
    }
  }

  /// Shows the confirmation sheet, and stores the answer before anything else happens.
  private func confirm(_ quote: PaymentQuote, of entry: QueueEntry) async throws -> Bool {
    switch await customer.confirm(quote) {
    case .cancel:
      try apply(.failed(.cancelled), to: entry.sequence)
      return false
    case .confirm where switches.isRestricted:
      // Purchases were restricted while the sheet was open.
      try fail(entry, .notAllowed)
      return false
    case .confirm:
      // Throws if the answer cannot be stored. A confirmation that is not stored must not be sent.
      guard try journal.apply(.confirmed(quote), to: entry.sequence) != nil else { return false }
      unsentConfirmations.insert(entry.sequence)
      // The customer was asked just now, also if an earlier run of the app has added the payment.
      waitsAnew.insert(entry.sequence)
      return true
    }
  }

  /// Sends a confirmation. After a new quote or a sign-in, sends it again, until the store has decided on the payment.
  ///
  /// After the first attempt, the payment ends only in two cases: the store decides on it, or the customer or the app
  /// declines a quote that replaces a stale one.
  private func charge(_ first: PaymentQuote, for entry: QueueEntry) async throws {
    var quote = first
    var mayAskToSignIn = true
    for _ in 0..<Self.largestNumberOfQuotes {
      // The device was closed while the sheet was open. The next launch sends the stored confirmation.
      if isStopped { return }
      do {
        let (result, asked) = try await send(quote, of: entry)
        switch result {
        case .purchased(let batch):
          return try await accept(batch, askedAt: asked, for: entry, confirmedAs: quote)
        case .stale(let current):
          try await check(current, for: entry)
          guard try await mayContinue(entry, from: quote, to: current) else { return }
          guard try await confirm(current, of: entry) else { return }
          quote = current
        case .deferred:
          return try apply(.deferred, to: entry.sequence)
        }
      } catch is PaymentGivenUp {
        return
      } catch let refusal as StoreRefusal where refusal.endsPayment {
        return try await refused(entry, refusal)
      } catch let refusal as StoreRefusal where refusal.code == .signInRequired && mayAskToSignIn {
        mayAskToSignIn = false
        do {
          try await session.signIn()
        } catch is PaymentFailure {
          // Only the store can end a confirmed payment, so the confirmation is retried later.
          throw refusal
        }
      }
    }
    throw StoreKitDeviceError.deliveryMismatch("a new price each time the customer confirmed one")
  }

  /// Sends a confirmation once.
  ///
  /// - Throws: ``PaymentGivenUp`` if the payment was given up, and the confirmation has not left.
  private func send(
    _ quote: PaymentQuote, of entry: QueueEntry
  ) async throws -> (ConfirmationResult, askedAt: ReceiptOrder.Moment) {
    try beginWaits()
    sending = entry.sequence
    defer { sending = nil }
    let asked = journal.receiptOrder.requestBegins()
    do {
      let result = try await session.performPatiently { try await $0.confirm(quote, for: $1) }
      unsentConfirmations.remove(entry.sequence)
      endWaits()
      return (result, asked)
    } catch {
      if try confirmationFailed(entry.sequence, error) { throw PaymentGivenUp() }
      if let refusal = error as? StoreRefusal, refusal.code != .temporarilyUnavailable { endWaits() }
      throw error
    }
  }

  /// Asks the app whether to continue a payment in another storefront than the one in which it was confirmed.
  private func mayContinue(
    _ entry: QueueEntry, from quote: PaymentQuote, to current: PaymentQuote
  ) async throws -> Bool {
    guard quote.storefrontCountryCode != current.storefrontCountryCode,
      let storefront = Territory(countryCode: current.storefrontCountryCode)
    else { return true }
    let continues =
      entry.isOfStoreKit2
      ? await callerContinues(entry.sequence, in: storefront)
      : await listener.shouldContinue(entry.sequence, in: storefront)
    if continues { return true }
    // The store answered that the confirmation is stale, so nothing was charged.
    var failure = PaymentFailure(
      .storeProductNotAvailable, "The purchase was given up because the storefront has changed.")
    if entry.isOfStoreKit2 { failure.cause = .storefrontDeclined }
    try apply(.failed(failure), to: entry.sequence)
    return false
  }

  private func accept(
    _ batch: DeliveryBatch, askedAt asked: ReceiptOrder.Moment, for entry: QueueEntry, confirmedAs quote: PaymentQuote
  ) async throws {
    let verified = try await session.verify(batch, askedAt: asked)
    if let problem = verified.problems.first {
      answerUnverified(entry, verified.unverified)
      throw problem
    }
    guard
      let arrival = verified.arrivals.first(where: {
        $0.payment == entry.payment.paymentID && $0.answers(entry.payment)
      })
    else {
      answerUnverified(entry, [])
      throw StoreKitDeviceError.deliveryMismatch(
        "no transaction for \(entry.payment.quantity) × \(entry.payment.productID)")
    }
    let changed = try journal.accept(
      arrival, answering: entry.sequence, paidBy: quote.account, keeping: verified.transactions,
      receipt: verified.receipt, isAwaited: awaitedPayments.contains(entry.sequence), announces: announces)
    if verified.receipt != nil { publishCommittedReceipt() }
    if let changed {
      show([changed])
      // A redelivery of an owned product to a payment of StoreKit 2 is finished already.
      if changed.isFinishing { finishes?.wake() }
    }
    if arrival.isRedelivered {
      inform(quote.plan?.startDate == nil ? .boughtBefore(quote) : .planChangeScheduled(quote))
    }
  }
}
