import StoreKit

/// The functions of StoreKit 2 that purchases use. The standard ones are of the current device; tests pass those of another
/// one.
package struct StoreKit2Calls: Sendable {
  package typealias Transactions = Transaction.Transactions

  /// The products on sale among these.
  package var products: @Sendable (Set<String>) async throws -> [Product]
  package var updates: @Sendable () -> Transactions
  package var unfinished: @Sendable () -> Transactions
  package var all: @Sendable () -> Transactions
  package var currentEntitlements: @Sendable () -> Transactions
  package var statuses: @Sendable () async -> [Product.SubscriptionInfo.Status]
  package var storefronts: @Sendable () -> Storefront.Storefronts
  /// Begins to receive the purchases that were begun in the App Store. Returns the task that receives them; nil if this
  /// version of the system has none.
  package var receiveIntents: @Sendable (@escaping @Sendable (PromotedPurchase) async -> Void) -> Task<Void, Never>?
  package var synchronize: @Sendable () async throws -> Void
  package var canMakePayments: @Sendable () -> Bool
  /// The payments that were confirmed, also in earlier launches, and have no outcome yet. Nil with Apple's StoreKit 2,
  /// which does not list them.
  package var openPayments: @Sendable () -> [OpenPurchase]?

  package init(
    products: @escaping @Sendable (Set<String>) async throws -> [Product],
    updates: @escaping @Sendable () -> Transactions, unfinished: @escaping @Sendable () -> Transactions,
    all: @escaping @Sendable () -> Transactions, currentEntitlements: @escaping @Sendable () -> Transactions,
    statuses: @escaping @Sendable () async -> [Product.SubscriptionInfo.Status],
    storefronts: @escaping @Sendable () -> Storefront.Storefronts,
    receiveIntents:
      @escaping @Sendable (@escaping @Sendable (PromotedPurchase) async -> Void) -> Task<Void, Never>?,
    synchronize: @escaping @Sendable () async throws -> Void, canMakePayments: @escaping @Sendable () -> Bool,
    openPayments: @escaping @Sendable () -> [OpenPurchase]?
  ) {
    self.products = products
    self.updates = updates
    self.unfinished = unfinished
    self.all = all
    self.currentEntitlements = currentEntitlements
    self.statuses = statuses
    self.storefronts = storefronts
    self.receiveIntents = receiveIntents
    self.synchronize = synchronize
    self.canMakePayments = canMakePayments
    self.openPayments = openPayments
  }

  /// The functions that apps call.
  package static let standard = StoreKit2Calls(
    products: { try await Product.products(for: $0) }, updates: { Transaction.updates },
    unfinished: { Transaction.unfinished }, all: { Transaction.all },
    currentEntitlements: { Transaction.currentEntitlements },
    statuses: {
      var all: [Product.SubscriptionInfo.Status] = []
      for await group in Product.SubscriptionInfo.Status.all { all += group.statuses }
      return all
    }, storefronts: { Storefront.updates },
    receiveIntents: { body in
      var task: Task<Void, Never>?
      if #available(macOS 14.4, iOS 16.4, *) { task = StoreKit2Calls.receive(PurchaseIntent.intents, body) }
      return task
    },
    synchronize: { try await AppStore.sync() }, canMakePayments: { AppStore.canMakePayments },
    openPayments: { OpenPurchase.ofCurrentDevice })
}

/// A payment that was confirmed, by either StoreKit, and has no outcome yet.
package struct OpenPurchase: Sendable {
  let isOfStoreKit2: Bool
  let productIdentifier: String
  let quantity: Int
  /// Whether it waits for an approval.
  let isDeferred: Bool

  #if os(Linux)
    package init(_ payment: StoreKitDevice.OpenPayment) {
      isOfStoreKit2 = payment.isOfStoreKit2
      productIdentifier = payment.productIdentifier
      quantity = payment.quantity
      isDeferred = payment.isDeferred
    }

    /// The payments of StoreKit 2 that are not in a payment queue.
    static func missing(in queue: SKPaymentQueue) -> [OpenPurchase] {
      queue.openPayments.filter(\.isOfStoreKit2).map(OpenPurchase.init)
    }

    static var ofCurrentDevice: [OpenPurchase]? { StoreKitDevice.current?.openPayments.map(OpenPurchase.init) ?? [] }
  #else
    static func missing(in queue: SKPaymentQueue) -> [OpenPurchase] { [] }

    static var ofCurrentDevice: [OpenPurchase]? { nil }
  #endif
}

/// A purchase that was begun in the App Store: the content of a `PurchaseIntent`, which not every supported version of
/// the system has.
package struct PromotedPurchase: Sendable {
  let product: Product
  /// The win-back offer of the purchase; nil for none.
  let offer: Product.SubscriptionOffer?

  @available(macOS 14.4, iOS 16.4, *)
  init(_ intent: PurchaseIntent) {
    product = intent.product
    var offer: Product.SubscriptionOffer?
    if #available(macOS 15, iOS 18, *) { offer = intent.offer }
    self.offer = offer
  }
}

extension StoreKit2Calls {
  /// Calls `body` with each element. The iterator is registered before this function returns.
  @available(macOS 14.4, iOS 16.4, *)
  package static func receive(
    _ intents: PurchaseIntent.PurchaseIntents, _ body: @escaping @Sendable (PromotedPurchase) async -> Void
  ) -> Task<Void, Never> {
    // Only the task uses it.
    nonisolated(unsafe) let iterator = intents.makeAsyncIterator()
    return Task {
      var iterator = iterator
      while let intent = await iterator.next() { await body(PromotedPurchase(intent)) }
    }
  }

  /// The signed transactions and renewal information that the device has verified.
  var stored: TransactionReader.Stored {
    get async {
      var transactions: [TransactionReader.Stored.Transaction] = []
      var hasSubscription = false
      for await result in all() {
        guard case .verified(let transaction) = result else { continue }
        hasSubscription = hasSubscription || transaction.productType == .autoRenewable
        transactions.append(
          TransactionReader.Stored.Transaction(
            identifier: String(transaction.id), originalIdentifier: String(transaction.originalID),
            jws: result.jwsRepresentation))
      }
      // Each of both calls asks the store for changes. Without a subscription, there is no renewal information to ask
      // for.
      guard hasSubscription else { return TransactionReader.Stored(transactions: transactions, renewals: []) }
      let renewals = await statuses().compactMap { status in
        if case .verified = status.renewalInfo { status.renewalInfo.jwsRepresentation } else { nil as String? }
      }
      return TransactionReader.Stored(transactions: transactions, renewals: renewals)
    }
  }
}
