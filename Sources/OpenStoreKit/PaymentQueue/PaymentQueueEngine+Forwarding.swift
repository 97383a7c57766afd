import StoreModel

extension PaymentQueueEngine {
  /// How often a customer is asked to confirm one payment anew before the store is left alone for a while.
  private static let largestNumberOfQuotes = 10

  /// Brings the payments to their outcomes, one after the other, in order.
  ///
  /// - Returns: false where one has none yet, and it and those behind it are to be tried again.
  func forwardPayments() async -> Bool {
    do {
      while isActive, let entry = try journal.payments().first { try await forward(entry) }
      if isActive, decisionsAreDue {
        // Whatever is decided while these are asked about makes them due again.
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

  /// Brings one payment to its outcome. Throws where it has none yet: it then stays as it is, and is asked again.
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

  /// A quote the customer has confirmed, for a payment that was never confirmed; nil where it has failed instead.
  private func confirmedQuote(for entry: QueueEntry) async throws -> PaymentQuote? {
    guard paymentsAllowed() else {
      try await refuseRestricted(entry)
      return nil
    }
    do {
      let quote = try await firstQuote(for: entry)
      try await check(quote, for: entry)
      return try await confirm(quote, of: entry) ? quote : nil
    } catch let refusal as StoreRefusal where !refusal.mayBeMended {
      // Nothing was confirmed, so nothing can have been charged.
      try apply(.failed(PaymentFailure(refusal)), to: entry.sequence)
      return nil
    } catch let failure as PaymentFailure {
      try apply(.failed(failure), to: entry.sequence)
      return nil
    }
  }

  /// Fails a payment that a restriction forbids, and shows StoreKit's own alert, for apps that only log failures.
  private func refuseRestricted(_ entry: QueueEntry) async throws {
    try apply(.failed(.notAllowed), to: entry.sequence)
    // Only now: the app is notified of the failure even if the alert is never answered.
    await customer.inform(.paymentsNotAllowed)
  }

  /// - Throws: ``PaymentFailure`` where the customer has not signed in.
  private func firstQuote(for entry: QueueEntry) async throws -> PaymentQuote {
    do {
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    } catch let refusal as StoreRefusal where refusal.code == .signInRequired {
      try await session.signIn()
      return try await session.perform { try await $0.quote(entry.payment, for: $1) }
    }
  }

  /// A sheet shows a quote only if it is one: for this payment, adding up, from the store this installation is bound to.
  private func check(_ quote: PaymentQuote, for entry: QueueEntry) async throws {
    guard quote.payment == entry.payment, quote.total == quote.unitPrice.multiplied(by: entry.payment.quantity) else {
      throw StoreKitDeviceError.deliveryMismatch(
        "a quote that is not for \(entry.payment.quantity) × the product asked for")
    }
    guard try await session.epoch() == quote.epoch else {
      await session.forgetStanding()
      throw StoreKitDeviceError.deliveryMismatch("a quote of another epoch")
    }
  }

  /// Shows the sheet, and journals the answer before anything else happens.
  private func confirm(_ quote: PaymentQuote, of entry: QueueEntry) async throws -> Bool {
    switch await customer.confirm(quote) {
    case .cancel:
      try apply(.failed(.cancelled), to: entry.sequence)
      return false
    case .confirm:
      // Throws if it cannot be written: what is not journalled must not be sent.
      return try journal.apply(.confirmed(quote), to: entry.sequence) != nil
    }
  }

  /// Sends a confirmation until the store has an answer to it. From the first time on only the store can end the payment.
  private func charge(_ first: PaymentQuote, for entry: QueueEntry) async throws {
    var quote = first
    var mayAskToSignIn = true
    for _ in 0..<Self.largestNumberOfQuotes {
      // Whoever closed the device while a sheet was open finds the confirmation at the next launch.
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
          // Only the store can end a payment that was confirmed: it is asked again later.
          throw refusal
        }
      }
    }
    throw StoreKitDeviceError.deliveryMismatch("a new price each time the customer confirmed one")
  }

  /// Whether the app goes on with a payment whose storefront is another than the customer confirmed it in.
  private func mayContinue(
    _ entry: QueueEntry, from quote: PaymentQuote, to current: PaymentQuote
  ) async throws -> Bool {
    guard quote.storefrontCountryCode != current.storefrontCountryCode,
      let storefront = Storefront(countryCode: current.storefrontCountryCode)
    else { return true }
    if await listener.shouldContinue(entry.sequence, in: storefront) { return true }
    // The store called the confirmation stale, so nothing was charged.
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
    // After the app was notified: the customer may never answer the alert.
    if arrival.isRedelivered { await customer.inform(.boughtBefore(quote)) }
  }
}
