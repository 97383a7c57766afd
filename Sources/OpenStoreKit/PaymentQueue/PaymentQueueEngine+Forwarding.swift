import StoreModel

extension PaymentQueueEngine {
  /// The maximum number of new quotes for one payment, before the worker pauses.
  private static let largestNumberOfQuotes = 10

  /// Sends the payments to the store one after the other, in order, until each has an outcome.
  ///
  /// - Returns: false if a payment has no outcome yet. This payment and the payments behind it are retried.
  func forwardPayments() async -> Bool {
    do {
      while isActive, let entry = try journal.payments().first { try await forward(entry) }
      if isActive, decisionsAreDue {
        // Cleared first, so that a decision during the following calls can set it again.
        decisionsAreDue = false
        do {
          for entry in try journal.deferredPayments() { try await forward(entry) }
        } catch {
          decisionsAreDue = true
          throw error
        }
      }
      return true
    } catch {
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
    guard paymentsAllowed() else {
      try await refuseRestricted(entry)
      return nil
    }
    do {
      let quote = try await firstQuote(for: entry)
      try await check(quote, for: entry)
      return try await confirm(quote, of: entry) ? quote : nil
    } catch let refusal as StoreRefusal where !refusal.isRetryable {
      // The customer confirmed nothing, so the store charged nothing.
      try apply(.failed(PaymentFailure(refusal)), to: entry.sequence)
      return nil
    } catch let failure as PaymentFailure {
      try apply(.failed(failure), to: entry.sequence)
      return nil
    }
  }

  /// Fails a payment because purchases are restricted on this device. Also shows StoreKit's own alert, because some
  /// apps only log failures.
  private func refuseRestricted(_ entry: QueueEntry) async throws {
    try apply(.failed(.notAllowed), to: entry.sequence)
    // Shown after the app was notified of the failure, because the customer may never close the alert.
    await customer.inform(.paymentsNotAllowed)
  }

  /// Requests the first quote for a payment. If no customer is signed in, the customer is asked to sign in first.
  ///
  /// - Throws: ``PaymentFailure`` if the customer did not sign in.
  private func firstQuote(for entry: QueueEntry) async throws -> PaymentQuote {
    do {
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
      try await session.signIn()
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    }
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
    case .confirm:
      // Throws if the answer cannot be stored. A confirmation that is not stored must not be sent.
      return try journal.apply(.confirmed(quote), to: entry.sequence) != nil
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
        let confirmed = quote
        let asked = journal.receiptOrder.requestBegins()
        switch try await session.perform({ try await $0.confirm(confirmed, for: $1) }) {
        case .purchased(let batch):
          return try await accept(batch, askedAt: asked, for: entry, confirmedAs: confirmed)
        case .stale(let current):
          try await check(current, for: entry)
          guard try await mayContinue(entry, from: quote, to: current) else { return }
          guard try await confirm(current, of: entry) else { return }
          quote = current
        case .deferred:
          return try apply(.deferred, to: entry.sequence)
        }
      } catch let refusal as StoreRefusal where refusal.endsPayment {
        return try apply(.failed(PaymentFailure(refusal)), to: entry.sequence)
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

  /// Asks the app whether to continue a payment in another storefront than the one in which it was confirmed.
  private func mayContinue(
    _ entry: QueueEntry, from quote: PaymentQuote, to current: PaymentQuote
  ) async throws -> Bool {
    guard quote.storefrontCountryCode != current.storefrontCountryCode,
      let storefront = Storefront(countryCode: current.storefrontCountryCode)
    else { return true }
    if await listener.shouldContinue(entry.sequence, in: storefront) { return true }
    // The store answered that the confirmation is stale, so nothing was charged.
    try apply(
      .failed(
        PaymentFailure(.storeProductNotAvailable, "The purchase was given up because the storefront has changed.")),
      to: entry.sequence)
    return false
  }

  private func accept(
    _ batch: DeliveryBatch, askedAt asked: ReceiptOrder.Moment, for entry: QueueEntry, confirmedAs quote: PaymentQuote
  ) async throws {
    let verified = try await session.verify(batch, askedAt: asked)
    if let problem = verified.problems.first { throw problem }
    guard
      let arrival = verified.arrivals.first(where: {
        $0.payment == entry.payment.paymentID && $0.answers(entry.payment)
      })
    else {
      throw StoreKitDeviceError.deliveryMismatch(
        "no transaction for \(entry.payment.quantity) × \(entry.payment.productID)")
    }
    let changed = try journal.accept(arrival, answering: entry.sequence, receipt: verified.receipt)
    if verified.receipt != nil { try publishReceipt() }
    if let changed { listener.updated([changed]) }
    // Shown after the app was notified, because the customer may never close the alert.
    if arrival.isRedelivered {
      await customer.inform(quote.plan?.startDate == nil ? .boughtBefore(quote) : .planChangeScheduled(quote))
    }
  }
}
