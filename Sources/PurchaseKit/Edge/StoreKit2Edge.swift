import StoreKit
import StoreModel

/// Purchases by StoreKit 2: `Product.purchase(options:)`, and the sequences of transactions, storefronts and purchases that
/// were begun in the App Store.
///
/// A transaction whose signature is wrong is never delivered. If `purchase(options:)` returns it, the payment stays open until
/// the genuine one arrives.
final class StoreKit2Edge: StoreEdge {
  /// The time from ``start(_:shouldAdd:)`` to ``stop()``. Events of an earlier session are not reported.
  private struct Session: Sendable {
    let number: Int
    let receive: @Sendable (EdgeEvent) -> Task<Bool, Never>?
    let shouldAdd: @Sendable (StorePayment) -> Bool
    var tasks: [Task<Void, Never>] = []
  }

  private struct State: Sendable {
    var session: Session?
    var sessions = 0
    var transactions = StoreKit2State()
    var promoted: [StorePayment: PromotedPurchase] = [:]
  }

  let interface = StoreInterface.storeKit2
  private let calls: StoreKit2Calls
  private let retry: any RetrySchedule
  private let state = LockedValue(State())

  /// - Parameter retry: decides when the deliveries are notified again of a revocation that one of them could not
  ///   record.
  init(calls: StoreKit2Calls, retry: any RetrySchedule) {
    self.calls = calls
    self.retry = retry
  }

  var canMakePayments: Bool { calls.canMakePayments() }

  // MARK: Listening

  func start(
    _ receive: @escaping @Sendable (EdgeEvent) -> Task<Bool, Never>?,
    shouldAdd: @escaping @Sendable (StorePayment) -> Bool
  ) {
    stop()
    let session = state.withLock { state in
      state.sessions += 1
      state.transactions.began()
      state.session = Session(number: state.sessions, receive: receive, shouldAdd: shouldAdd)
      return state.sessions
    }
    // The iterators are registered now: nothing that happens from now on is missed.
    let updates = calls.updates().makeAsyncIterator()
    let storefronts = calls.storefronts().makeAsyncIterator()
    let intents = calls.receiveIntents { [weak self] in await self?.began($0, in: session) }
    var tasks = [
      Task { [weak self] in
        var updates = updates
        while let update = await updates.next() {
          // StoreKit does not repeat an update after the next one was requested. So that is requested only after this
          // one was handled.
          guard let self, await self.arrived(update, in: session) else { return }
        }
      },
      Task { [weak self] in
        var storefronts = storefronts
        while await storefronts.next() != nil { self?.send(.storefrontChanged, in: session) }
      },
      // Only the first iterator of a launch begins with the unfinished transactions, and that may be another one.
      Task { [weak self, calls] in
        for await unfinished in calls.unfinished() {
          guard let self else { return }
          await self.arrivedUnfinished(unfinished, in: session)
        }
      },
    ]
    if let intents { tasks.append(intents) }
    let started = tasks
    let isRunning = state.withLock { state in
      guard state.session?.number == session else { return false }
      state.session?.tasks = started
      return true
    }
    // Another thread has stopped this session.
    if !isRunning { for task in started { task.cancel() } }
  }

  func stop() {
    let session = state.withLock { state in
      defer { state.session = nil }
      return state.session
    }
    for task in session?.tasks ?? [] { task.cancel() }
  }

  /// Handles a transaction that arrived outside of `purchase(options:)`. Returns when its product was delivered or
  /// kept, or the deliveries have recorded its revocation.
  ///
  /// - Returns: false if it could not be handled, because the session has ended.
  private func arrived(_ result: VerificationResult<Transaction>, in session: Int) async -> Bool {
    guard case .verified(let transaction) = result else { return true }
    if transaction.isRevoked { return await revoked(transaction, in: session) }
    guard let (value, order) = newValue(of: transaction, result.jwsRepresentation) else {
      await finishAgain(transaction)
      return true
    }
    return await isHandled(.updated(value, order: order), in: session)
  }

  /// Handles an unfinished transaction. Does not wait for its delivery: it stays unfinished until then, and comes again
  /// at the next launch.
  private func arrivedUnfinished(_ result: VerificationResult<Transaction>, in session: Int) async {
    guard case .verified(let transaction) = result else { return }
    if transaction.isRevoked {
      // The purchases behind it do not wait for it.
      Task { [weak self] in _ = await self?.revoked(transaction, in: session) }
    } else if state.withLock({ $0.transactions.hold(result) }) {
      // The end of the purchase decides.
    } else if let (value, order) = newValue(of: transaction, result.jwsRepresentation) {
      send(.updated(value, order: order), in: session)
    } else {
      await finishAgain(transaction)
    }
  }

  /// Finishes a transaction that was finished and arrives again. While a payment for its product is open, StoreKit on
  /// Linux does not record a finish.
  private func finishAgain(_ transaction: Transaction) async {
    if state.withLock({ $0.transactions.isFinished(transaction) }) { await transaction.finish() }
  }

  /// Returns the value of a paid transaction, and the payment to which it is the answer; nil if it was reported already.
  private func newValue(of transaction: Transaction, _ jws: String) -> (StoreTransaction, UUID?)? {
    state.withLock { $0.transactions.arrived(transaction, jws: jws) }
  }

  /// Handles a revoked transaction.
  ///
  /// - Returns: false if the session has ended before the deliveries have recorded the revocation.
  private func revoked(_ transaction: Transaction, in session: Int) async -> Bool {
    guard state.withLock({ $0.transactions.beginRevocation(transaction, in: session) }) else { return true }
    defer { state.withLock { $0.transactions.endRevocation(transaction, in: session) } }
    if await endsOwnership(transaction) {
      guard await isRevocationHandled(of: transaction.productID, in: session) else { return false }
    }
    let removed = state.withLock { $0.transactions.revoked(transaction) }
    await transaction.finish()
    if let removed { send(.removed(removed), in: session) }
    return true
  }

  /// Whether the customer no longer owns the product of a revoked transaction.
  ///
  /// The customer may have bought the product twice, or the refund may be of an earlier period of a subscription that
  /// continues. A consumable is not owned. Nor does StoreKit 1 report the refund of one: the purchase server takes its
  /// credits back.
  private func endsOwnership(_ revoked: Transaction) async -> Bool {
    guard revoked.productType != .consumable else { return false }
    for await result in calls.currentEntitlements() {
      if case .verified(let owned) = result, owned.productID == revoked.productID { return false }
    }
    return true
  }

  /// Reports a revocation until all deliveries have recorded it. Purchases that arrive behind it on `updates` do not wait for
  /// that: they are unfinished, so they are read from there.
  ///
  /// - Returns: false if the session has ended before.
  private func isRevocationHandled(of productIdentifier: String, in session: Int) async -> Bool {
    var failures = 0
    // In a cancelled task, StoreKit's sequences are empty, so the customer may own the product.
    while !Task.isCancelled, state.withLock({ $0.session?.number == session }) {
      if await isHandled(.revoked([productIdentifier], isRetry: failures > 0), in: session) { return true }
      failures += 1
      // An error means that the task is cancelled.
      guard (try? await retry.wait(afterFailures: failures)) != nil else { return false }
      for await unfinished in calls.unfinished() { await arrivedUnfinished(unfinished, in: session) }
    }
    return false
  }

  private func began(_ purchase: PromotedPurchase, in session: Int) async {
    let payment = StorePayment(
      productIdentifier: purchase.product.id, offerIdentifier: purchase.offer?.id, skPayment: nil)
    let shouldAdd = state.withLock { state in
      state.promoted[payment] = purchase
      return state.session?.number == session ? state.session?.shouldAdd : nil
    }
    guard let shouldAdd, await MainActor.run(body: { shouldAdd(payment) }) else { return }
    resume(payment, order: nil)
  }

  // MARK: Events

  /// Reports an event of a purchase to the current session. A purchase may have begun in an earlier one.
  private func send(_ event: EdgeEvent) {
    if let session = state.withLock({ $0.session?.number }) { send(event, in: session) }
  }

  /// Reports an event on the main queue. Events of one task arrive in their order.
  private func send(_ event: EdgeEvent, in session: Int) {
    DispatchQueue.main.async { [weak self] in _ = self?.receive(event, in: session) }
  }

  /// Reports an event, and waits until it is handled.
  ///
  /// - Returns: false if it could not be handled, for instance after ``stop()``.
  private func isHandled(_ event: EdgeEvent, in session: Int) async -> Bool {
    let task = await withCheckedContinuation { (continuation: CheckedContinuation<Task<Bool, Never>?, Never>) in
      DispatchQueue.main.async { continuation.resume(returning: self.receive(event, in: session)) }
    }
    return await task?.value ?? false
  }

  private func receive(_ event: EdgeEvent, in session: Int) -> Task<Bool, Never>? {
    state.withLock { $0.session?.number == session ? $0.session?.receive : nil }?(event)
  }

  // MARK: Buying

  func products(_ identifiers: Set<String>) async throws -> (products: [StoreProduct], invalid: Set<String>) {
    let products: [Product]
    do {
      products = try await calls.products(identifiers)
    } catch {
      try Task.checkCancellation()
      throw StoreKit2Errors.neutral(error)
    }
    // In a cancelled task, StoreKit returns no products.
    try Task.checkCancellation()
    return (products.map(StoreProduct.init), identifiers.subtracting(products.map(\.id)))
  }

  func add(_ order: PaymentOrder) {
    var options: Set<Product.PurchaseOption> = [.quantity(order.quantity)]
    if let token = order.applicationUsername.flatMap(UUID.init(uuidString:)) { options.insert(.appAccountToken(token)) }
    buy(
      order.product.productIdentifier, order.product.product, quantity: order.quantity, options: options,
      order: order.id)
  }

  func resume(_ payment: StorePayment, order: UUID) { resume(payment, order: order as UUID?) }

  private func resume(_ payment: StorePayment, order: UUID?) {
    let promoted = state.withLock { $0.promoted.removeValue(forKey: payment) }
    var options: Set<Product.PurchaseOption> = []
    if #available(macOS 15, iOS 18, *), let offer = promoted?.offer { options.insert(.winBackOffer(offer)) }
    buy(payment.productIdentifier, promoted?.product, quantity: 1, options: options, order: order)
  }

  /// - Parameters:
  ///   - product: the product; nil to request it first.
  ///   - order: the id of the payment; nil if the manager did not add it.
  private func buy(
    _ productIdentifier: String, _ product: Product?, quantity: Int, options: Set<Product.PurchaseOption>,
    order: UUID?
  ) {
    let purchasing = StoreTransaction(state: .purchasing, productIdentifier: productIdentifier, quantity: quantity)
    state.withLock { $0.transactions.began(purchasing) }
    send(.updated(purchasing, order: order))
    Task { [weak self, calls] in
      let result: Result<Product.PurchaseResult, any Error>
      do {
        let known = if let product { product } else { try await calls.products([productIdentifier]).first }
        guard let known else { throw Product.PurchaseError.productUnavailable }
        result = .success(try await known.purchase(options: options))
      } catch {
        result = .failure(error)
      }
      self?.ended(purchasing, result, order)
      await self?.deliverHeld()
    }
  }

  /// Handles the unfinished transactions that a purchase has held. If no session runs, the next one finds them again.
  private func deliverHeld() async {
    let (session, held) = state.withLock { ($0.session?.number, $0.transactions.takeHeld()) }
    guard let session else { return }
    for result in held { await arrivedUnfinished(result, in: session) }
  }

  private func ended(
    _ purchasing: StoreTransaction, _ result: Result<Product.PurchaseResult, any Error>, _ order: UUID?
  ) {
    switch result {
    case .success(.success(let result)):
      switch result {
      case .verified(let transaction):
        let value = state.withLock {
          $0.transactions.bought(transaction, jws: result.jwsRepresentation, as: purchasing.id)
        }
        send(.updated(value, order: order))
      // The customer may have paid. The payment stays open: StoreKit asks again, and a genuine transaction arrives on
      // `updates`.
      case .unverified: state.withLock { $0.transactions.unverified(purchasing.id, order: order) }
      }
    case .success(.pending):
      let deferred = StoreTransaction(
        id: purchasing.id, state: .deferred, productIdentifier: purchasing.productIdentifier,
        quantity: purchasing.quantity)
      let isListed = calls.openPayments() != nil
      state.withLock { state in
        if isListed { state.transactions.ended(purchasing.id) } else { state.transactions.deferred(deferred) }
      }
      send(.updated(deferred, order: order))
    case .success(.userCancelled): failed(purchasing, SKError(.paymentCancelled), order)
    // The answer could not be read. As above, the customer may have paid.
    case .failure(StoreKitError.unknown) where isConfirmed(purchasing.productIdentifier):
      state.withLock { $0.transactions.unverified(purchasing.id, order: order) }
    case .failure(let error): failed(purchasing, StoreKit2Errors.neutral(error), order)
    // The result is of a later StoreKit. If there is a transaction, it stays unfinished for a version of the app that
    // handles the result.
    @unknown default: failed(purchasing, SKError(.unknown), order)
    }
  }

  /// Whether the customer has confirmed a payment for a product, and the store has not decided on it as far as the device
  /// knows.
  private func isConfirmed(_ productIdentifier: String) -> Bool {
    calls.openPayments()?.contains { $0.isOfStoreKit2 && $0.productIdentifier == productIdentifier && !$0.isDeferred }
      ?? false
  }

  private func failed(_ purchasing: StoreTransaction, _ error: any Error, _ order: UUID?) {
    state.withLock { $0.transactions.ended(purchasing.id) }
    let failed = StoreTransaction(
      id: purchasing.id, state: .failed, productIdentifier: purchasing.productIdentifier,
      quantity: purchasing.quantity, error: error)
    send(.updated(failed, order: order))
  }

  func finish(_ transaction: StoreTransaction) {
    // A failed transaction is finished by StoreKit, and a restored one was finished when it was bought.
    guard let paid = state.withLock({ $0.transactions.finish(transaction.id) }) else { return }
    Task { [weak self] in
      await paid.transaction.finish()
      self?.send(.removed(transaction))
    }
  }

  func current(_ transaction: StoreTransaction) -> StoreTransaction {
    state.withLock { $0.transactions.current(transaction) }
  }

  /// Those of this run, and those of StoreKit 1, or that an earlier run has left.
  var open: [StoreTransaction] {
    let known = state.withLock { $0.transactions.open }
    let products = Set(known.map(\.productIdentifier))
    let earlier = (calls.openPayments() ?? []).filter { !products.contains($0.productIdentifier) }
    return known + earlier.map(StoreTransaction.init)
  }

  // MARK: Restoring

  func restore(applicationUsername: String?) {
    // A restore that has begun before `stop()` must not end one that begins after it.
    guard let session = state.withLock({ $0.session?.number }) else { return }
    Task { [weak self, calls] in
      do {
        try await calls.synchronize()
        for await result in calls.currentEntitlements() {
          // StoreKit 1 does not restore non-renewing subscriptions.
          guard case .verified(let transaction) = result, transaction.productType != .nonRenewable else { continue }
          let purchase = PaidPurchase(transaction, jws: result.jwsRepresentation, isRestored: true)
          let restored = StoreTransaction(id: StoreTransaction.ID(), purchase: purchase, state: .restored)
          self?.send(.updated(restored, order: nil), in: session)
        }
        self?.send(.restoreEnded(nil), in: session)
      } catch {
        self?.send(.restoreEnded(StoreKit2Errors.neutral(error)), in: session)
      }
    }
  }
}
