import StoreKit
import StoreModel

/// Purchases by StoreKit 2: `Product.purchase(options:)`, and the sequences of transactions, storefronts and purchases that
/// were begun in the App Store.
///
/// A transaction whose signature is wrong is never delivered. If `purchase(options:)` returns it, the payment has failed with
/// the error of the verification.
final class StoreKit2Edge: StoreEdge {
  /// The time from ``start(_:shouldAdd:)`` to ``stop()``. Events of an earlier session are not reported.
  private struct Session: Sendable {
    let number: Int
    let receive: @Sendable (EdgeEvent) -> Task<Bool, Never>?
    let shouldAdd: @Sendable (StorePayment) -> Bool
    var tasks: [Task<Void, Never>] = []
  }

  /// A purchase that was begun in the App Store.
  private struct Promoted: Sendable {
    let product: Product
    let offer: Product.SubscriptionOffer?
  }

  private struct State: Sendable {
    var session: Session?
    var sessions = 0
    var transactions = StoreKit2State()
    var promoted: [StorePayment: Promoted] = [:]
  }

  let interface = StoreInterface.storeKit2
  private let calls: StoreKit2Calls
  private let state = LockedValue(State())

  init(calls: StoreKit2Calls) { self.calls = calls }

  deinit {
    for task in state.withLock({ $0.session?.tasks ?? [] }) { task.cancel() }
  }

  var canMakePayments: Bool { calls.canMakePayments() }

  // MARK: Listening

  func start(
    _ receive: @escaping @Sendable (EdgeEvent) -> Task<Bool, Never>?,
    shouldAdd: @escaping @Sendable (StorePayment) -> Bool
  ) {
    stop()
    state.withLock { state in
      state.sessions += 1
      state.transactions.began()
      state.session = Session(number: state.sessions, receive: receive, shouldAdd: shouldAdd)
    }
    // The iterators are registered now: nothing that happens from now on is missed.
    let updates = calls.updates().makeAsyncIterator()
    let storefronts = calls.storefronts().makeAsyncIterator()
    let intents = calls.intents().makeAsyncIterator()
    let tasks = [
      Task { [weak self] in
        var updates = updates
        while let update = await updates.next() { await self?.arrived(update) }
      },
      Task { [weak self] in
        var storefronts = storefronts
        while await storefronts.next() != nil { self?.send(.storefrontChanged) }
      },
      Task { [weak self] in
        var intents = intents
        while let intent = await intents.next() { await self?.began(intent) }
      },
      // Only the first iterator of a launch begins with the unfinished transactions, and that may be another one.
      Task { [weak self, calls] in
        for await transaction in calls.unfinished() { await self?.arrived(transaction) }
      },
    ]
    state.withLock { $0.session?.tasks = tasks }
  }

  func stop() {
    let session = state.withLock { state in
      defer { state.session = nil }
      return state.session
    }
    for task in session?.tasks ?? [] { task.cancel() }
  }

  /// Handles a transaction that arrived outside of `purchase(options:)`.
  private func arrived(_ result: VerificationResult<Transaction>) async {
    guard case .verified(let transaction) = result else { return }
    guard transaction.isRevoked else {
      let value = state.withLock { $0.transactions.arrived(transaction, jws: result.jwsRepresentation) }
      if let value { send(.updated(value, order: nil)) }
      return
    }
    guard state.withLock({ $0.transactions.needsHandling(transaction) }) else { return }
    // The next update is requested after the app has recorded this one, because StoreKit then no longer repeats it.
    guard await isHandled(.revoked([transaction.productID])) else { return }
    let removed = state.withLock { $0.transactions.revoked(transaction) }
    await transaction.finish()
    if let removed { send(.removed(removed)) }
  }

  private func began(_ intent: PurchaseIntent) async {
    let payment = StorePayment(
      productIdentifier: intent.product.id, offerIdentifier: intent.offer?.id, skPayment: nil)
    let shouldAdd = state.withLock { state in
      state.promoted[payment] = Promoted(product: intent.product, offer: intent.offer)
      return state.session?.shouldAdd
    }
    guard let shouldAdd, await MainActor.run(body: { shouldAdd(payment) }) else { return }
    resume(payment, order: nil)
  }

  // MARK: Events

  /// Reports an event on the main queue. Events of one task arrive in their order.
  private func send(_ event: EdgeEvent) {
    guard let number = state.withLock({ $0.session?.number }) else { return }
    DispatchQueue.main.async { [weak self] in _ = self?.receive(event, in: number) }
  }

  /// Reports an event, and waits until it is handled.
  ///
  /// - Returns: false if it could not be handled, for instance after ``stop()``.
  private func isHandled(_ event: EdgeEvent) async -> Bool {
    guard let number = state.withLock({ $0.session?.number }) else { return false }
    let task = await withCheckedContinuation { (continuation: CheckedContinuation<Task<Bool, Never>?, Never>) in
      DispatchQueue.main.async { continuation.resume(returning: self.receive(event, in: number)) }
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
    state.withLock { $0.transactions.isOpen(purchasing) }
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
    }
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
      case .unverified(_, let error): failed(purchasing, error, order)
      }
    case .success(.pending):
      let deferred = StoreTransaction(
        id: purchasing.id, state: .deferred, productIdentifier: purchasing.productIdentifier,
        quantity: purchasing.quantity)
      state.withLock { $0.transactions.isOpen(deferred) }
      send(.updated(deferred, order: order))
    case .success(.userCancelled): failed(purchasing, SKError(.paymentCancelled), order)
    case .failure(let error): failed(purchasing, StoreKit2Errors.neutral(error), order)
    // The result is of a later StoreKit. If there is a transaction, it stays unfinished for a version of the app that
    // handles the result.
    @unknown default: failed(purchasing, SKError(.unknown), order)
    }
  }

  private func failed(_ purchasing: StoreTransaction, _ error: any Error, _ order: UUID?) {
    state.withLock { $0.transactions.failed(purchasing.id) }
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

  var open: [StoreTransaction] { state.withLock { $0.transactions.open } }

  // MARK: Restoring

  func restore(applicationUsername: String?) {
    Task { [weak self, calls] in
      do {
        try await calls.synchronize()
        for await result in calls.currentEntitlements() {
          // StoreKit 1 does not restore non-renewing subscriptions.
          guard case .verified(let transaction) = result, transaction.productType != .nonRenewable else { continue }
          let purchase = PaidPurchase(transaction, jws: result.jwsRepresentation, isRestored: true)
          let restored = StoreTransaction(id: StoreTransaction.ID(), purchase: purchase, state: .restored)
          self?.send(.updated(restored, order: nil))
        }
        self?.send(.restoreEnded(nil))
      } catch {
        self?.send(.restoreEnded(StoreKit2Errors.neutral(error)))
      }
    }
  }
}
