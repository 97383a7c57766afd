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

  // MARK: Apps and customers

  /// See ``EmulatedAppStore/serve(_:catalog:)``.
  @discardableResult
  package func serve(_ bundleID: BundleID, catalog: [StoreKitConfiguration]) throws -> StoreApp {
    let served = try ServedCatalog(bundleID, files: catalog)
    return try database.write { try served.serve(in: $0) }
  }

  /// What a new installation begins with.
  package struct Beginning: Sendable {
    package let greeting: StoreGreeting
    package let account: SignedInAccount
    /// The revision of a store without transactions.
    package let revision: StoreRevision
  }

  /// Serves an app, changes its customer, its renewal rules and the store's settings, registers an installation and signs the
  /// customer in, all in one commit. For a new store.
  package func begin(
    _ registration: InstallationRegistration, selling catalog: [StoreKitConfiguration], to account: AccountName,
    renewalRules: RenewalRules, settings: @escaping @Sendable (inout StoreSettings) -> Void,
    customer change: @escaping @Sendable (inout Customer) -> Void
  ) throws -> Beginning {
    let served = try ServedCatalog(registration.bundleID, files: catalog)
    return try database.write { work in
      _ = try served.serve(in: work)
      _ = try work.customerChanges.change(account, registration.environment, resumesPurchases: false, change)
      if renewalRules != served.renewalRules {
        try work.catalog.setRenewalRules(renewalRules, of: registration.bundleID)
      }
      _ = try work.lifecycle.changeSettings(settings)
      let greeting = try work.deviceRegistration.register(registration)
      let account = try work.deviceRegistration.signIn(
        SignInCredentials(account: account), on: registration.installationID)
      return Beginning(greeting: greeting, account: account, revision: StoreRevision(epoch: work.epoch, number: 0))
    }
  }

  /// See ``EmulatedAppStore/addCustomer(_:)``.
  package func addCustomer(_ customer: Customer) throws { try database.write { try $0.customerChanges.add(customer) } }

  /// See ``EmulatedAppStore/customer(_:_:)``.
  package func customer(_ name: AccountName, _ environment: StoreEnvironment) throws -> Customer {
    try database.read { try $0.customers.customer(name, environment).customer }
  }

  /// See ``EmulatedAppStore/changeCustomer(_:_:_:)``.
  ///
  /// - Parameter resumesPurchases: whether interrupted purchases are made if the payment method is valid now.
  @discardableResult
  package func changeCustomer(
    _ name: AccountName, _ environment: StoreEnvironment, resumesPurchases: Bool = true,
    _ change: @escaping @Sendable (inout Customer) -> Void
  ) throws -> Customer {
    try database.write {
      try $0.customerChanges.change(name, environment, resumesPurchases: resumesPurchases, change)
    }
  }

  /// See ``EmulatedAppStore/renewalRules(of:)``.
  package func renewalRules(of bundleID: BundleID) throws -> RenewalRules {
    try database.read { try $0.subscriptions.rules(of: bundleID) }
  }

  /// See ``EmulatedAppStore/setRenewalRules(_:of:)``.
  package func setRenewalRules(_ rules: RenewalRules, of bundleID: BundleID) throws {
    try database.write { try $0.catalog.setRenewalRules(rules, of: bundleID) }
  }

  /// See ``EmulatedAppStore/changeSettings(_:)``.
  package func changeSettings(_ change: @escaping @Sendable (inout StoreSettings) -> Void) throws {
    try database.write { _ = try $0.lifecycle.changeSettings(change) }
  }

  /// See ``EmulatedAppStore/changeProduct(_:of:_:)``.
  package func changeProduct(_ productID: ProductID, of bundleID: BundleID, _ change: ProductChange) throws {
    try database.write { _ = try $0.catalog.change(productID, of: bundleID, change) }
  }

  /// See ``EmulatedAppStore/changeClock(_:rate:)``.
  @discardableResult
  package func changeClock(_ move: ClockMove? = nil, rate: Double? = nil) throws -> ClockReading {
    try database.write { [database] work in
      try work.lifecycle.changeClock(move, rate: rate, nextEvent: try database.nextDueDate(in: work))
    }
  }

  // MARK: Purchases

  /// See ``EmulatedAppStore/purchase(_:quantity:of:for:in:applicationUsername:installationID:paymentID:offer:)``.
  ///
  /// - Parameters:
  ///   - date: the date of the purchase, which is not later than now; nil for now.
  ///   - renews: whether a subscription renews. Its renewals until now are made in the same commit.
  package func purchase(
    _ productID: ProductID, quantity: Int = 1, of bundleID: BundleID, for account: AccountName,
    in environment: StoreEnvironment, applicationUsername: String? = nil, installationID: InstallationID? = nil,
    offer: PaymentOffer? = nil, at date: StoreDate? = nil, renews: Bool = true
  ) throws -> StoredTransaction {
    let request = OperatorPurchaseRow.Request(
      bundleID: bundleID, environment: environment, account: account, productID: productID, quantity: quantity,
      applicationUsername: applicationUsername, installationID: installationID, offer: offer)
    try store.prepareKeysForCharge()
    return try database.write { work in
      try work.perform(at: date ?? work.now) {
        let stored = try work.operatorPurchases.purchase(request, as: nil)
        if !renews, let subscription = try work.subscriptions.current(stored) {
          _ = try work.subscriptionChanges.change(
            subscription.originalTransactionID, by: [.autoRenew(isOn: false)])
        }
        return stored
      }
    }
  }

  /// See ``EmulatedAppStore/refund(_:reason:percentage:)``.
  @discardableResult
  package func refund(_ id: TransactionID, reason: RevocationReason = .other) throws -> StoredTransaction {
    try database.write { try $0.refunds.refund(id, reason: reason, percentage: Percentage.whole) }
  }

  /// See ``EmulatedAppStore/decideApproval(of:on:isApproved:)``.
  @discardableResult
  package func decideApproval(
    of paymentID: PaymentID, on installationID: InstallationID, isApproved: Bool
  ) throws -> StoredTransaction? {
    try store.prepareKeysForCharge()
    return try database.write { try $0.approvals.decide(paymentID, on: installationID, isApproved: isApproved) }
  }

  /// Makes an interrupted purchase, whatever the customer's payment method is.
  ///
  /// - Returns: false if the payment was not interrupted, or its product was bought since.
  package func resumeInterrupted(_ paymentID: PaymentID, on installationID: InstallationID) throws -> Bool {
    try store.prepareKeysForCharge()
    // The purchase is due now, so it is made in the same commit.
    return try database.write { try $0.interruptedPurchases.resume(paymentID, on: installationID) }
  }

  /// See ``EmulatedAppStore/changeSubscription(_:by:)``.
  @discardableResult
  package func changeSubscription(
    _ original: TransactionID, by adjustment: SubscriptionAdjustment
  ) throws -> RenewalRecord {
    try store.prepareKeysForCharge()
    return try database.write { try $0.subscriptionChanges.change(original, by: [adjustment]) }
  }

  // MARK: Records

  /// See ``EmulatedAppStore/transactions(_:)``.
  package func transactions(_ filter: RecordFilter = RecordFilter()) throws -> [StoredTransaction] {
    try database.read { try $0.listing.transactions(filter) }
  }

  /// All transactions of an app, in the order in which the store made them.
  package func allTransactions(of bundleID: BundleID) throws -> [StoredTransaction] {
    try database.read { work in
      try StoredTransaction.fetchAll(
        work.database, sql: "SELECT * FROM transactionRecord WHERE bundleID = ? ORDER BY sequence",
        arguments: [bundleID.rawValue])
    }
  }

  /// A transaction; nil if there is none.
  package func transaction(_ id: TransactionID) throws -> StoredTransaction? {
    try database.read { try StoredTransaction.lookUp(["transactionID": id.rawValue], in: $0.database) }
  }

  /// The customer's subscriptions in all apps.
  package func subscriptions(of account: AccountName, in environment: StoreEnvironment) throws -> [RenewalRecord] {
    try database.read { try $0.subscriptions.all(of: account, environment).map(RenewalRecord.init) }
  }

  /// The payments that have no transaction, oldest first.
  package func attempts() throws -> [PaymentAttempt] { try database.read { try $0.attempts() } }

  /// Deletes a transaction with all that was made from it; see ``Deletions/delete(_:)``.
  ///
  /// - Returns: the deleted transactions.
  package func delete(_ id: TransactionID) throws -> [TransactionID] {
    try database.write { try $0.deletions.delete(id) }
  }

  /// Deletes an attempt.
  package func delete(_ attempt: PaymentAttempt) throws {
    try database.write { try $0.deletions.delete(attempt.payment.paymentID, on: attempt.installationID) }
  }

  /// Deletes all transactions and payments.
  package func deleteAll() throws { try database.write { try $0.deletions.deleteAll() } }
}

extension SynchronousStore: SynchronousStoreConnection {
  /// Answers a device's call on the calling thread. Faults do not apply to it, and the request journal does not have it.
  ///
  /// - Throws: ``StoreRefusal``, also for a call that is not answered in one step.
  package func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) throws -> Call.Answer {
    guard let oneStep = call as? any OneStepCall,
      let answer = try run(oneStep, installation) as? Call.Answer
    else { throw StoreRefusal(.malformedRequest, "\(Call.verb.rawValue) cannot be answered synchronously.") }
    return answer
  }

  private func run(_ call: some OneStepCall, _ installation: InstallationID) throws -> any Sendable {
    try call.answer(to: installation, in: store.services)
  }
}
