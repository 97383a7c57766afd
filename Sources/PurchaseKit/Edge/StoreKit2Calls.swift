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
  package var intents: @Sendable () -> PurchaseIntent.PurchaseIntents
  package var synchronize: @Sendable () async throws -> Void
  package var canMakePayments: @Sendable () -> Bool

  package init(
    products: @escaping @Sendable (Set<String>) async throws -> [Product],
    updates: @escaping @Sendable () -> Transactions, unfinished: @escaping @Sendable () -> Transactions,
    all: @escaping @Sendable () -> Transactions, currentEntitlements: @escaping @Sendable () -> Transactions,
    statuses: @escaping @Sendable () async -> [Product.SubscriptionInfo.Status],
    storefronts: @escaping @Sendable () -> Storefront.Storefronts,
    intents: @escaping @Sendable () -> PurchaseIntent.PurchaseIntents,
    synchronize: @escaping @Sendable () async throws -> Void, canMakePayments: @escaping @Sendable () -> Bool
  ) {
    self.products = products
    self.updates = updates
    self.unfinished = unfinished
    self.all = all
    self.currentEntitlements = currentEntitlements
    self.statuses = statuses
    self.storefronts = storefronts
    self.intents = intents
    self.synchronize = synchronize
    self.canMakePayments = canMakePayments
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
    }, storefronts: { Storefront.updates }, intents: { PurchaseIntent.intents },
    synchronize: { try await AppStore.sync() }, canMakePayments: { AppStore.canMakePayments })
}

extension StoreKit2Calls {
  /// The signed transactions and renewal information that the device has verified.
  var stored: TransactionReader.Stored {
    get async {
      var transactions: [TransactionReader.Stored.Transaction] = []
      for await result in all() {
        guard case .verified(let transaction) = result else { continue }
        transactions.append(
          TransactionReader.Stored.Transaction(
            identifier: String(transaction.id), originalIdentifier: String(transaction.originalID),
            jws: result.jwsRepresentation))
      }
      let renewals = await statuses().compactMap { status in
        if case .verified = status.renewalInfo { status.renewalInfo.jwsRepresentation } else { nil as String? }
      }
      return TransactionReader.Stored(transactions: transactions, renewals: renewals)
    }
  }
}
