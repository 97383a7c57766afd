import StoreModel

extension EmulatedAppStore {
  /// The store for callers that cannot wait asynchronously, such as test sessions with synchronous functions.
  package var synchronous: SynchronousStore { SynchronousStore(store: self) }
}

/// A store whose functions block the calling thread until their change is committed, by the same rules as the asynchronous
/// ones. They use no thread of Swift's concurrency pool, so a task may call them although all its threads are blocked.
///
/// It is meant for a store in memory: a commit to a disk takes long.
package struct SynchronousStore: Sendable {
  fileprivate let store: EmulatedAppStore

  private var database: StoreDatabase { store.database }

  /// See ``EmulatedAppStore/addCustomer(_:)``.
  package func addCustomer(_ customer: Customer) throws { try database.write { try $0.customerChanges.add(customer) } }

  /// See ``EmulatedAppStore/purchase(_:quantity:of:for:in:applicationUsername:installationID:paymentID:offer:)``.
  package func purchase(
    _ productID: ProductID, quantity: Int = 1, of bundleID: BundleID, for account: AccountName,
    in environment: StoreEnvironment, installationID: InstallationID? = nil, offer: PaymentOffer? = nil
  ) throws -> StoredTransaction {
    let request = OperatorPurchaseRow.Request(
      bundleID: bundleID, environment: environment, account: account, productID: productID, quantity: quantity,
      applicationUsername: nil, installationID: installationID, offer: offer)
    try store.prepareKeysForCharge()
    return try database.write { try $0.operatorPurchases.purchase(request, as: nil) }
  }

  /// See ``EmulatedAppStore/refund(_:reason:percentage:)``.
  @discardableResult
  package func refund(_ id: TransactionID, reason: RevocationReason = .other) throws -> StoredTransaction {
    try database.write { try $0.refunds.refund(id, reason: reason, percentage: Percentage.whole) }
  }

  /// See ``EmulatedAppStore/changeClock(_:rate:)``.
  @discardableResult
  package func changeClock(_ move: ClockMove? = nil, rate: Double? = nil) throws -> ClockReading {
    try database.write { [database] work in
      try work.lifecycle.changeClock(move, rate: rate, nextEvent: try database.nextDueDate(in: work))
    }
  }

  /// See ``EmulatedAppStore/transactions(_:)``.
  package func transactions(_ filter: RecordFilter = RecordFilter()) throws -> [StoredTransaction] {
    try database.read { try $0.listing.transactions(filter) }
  }
}
