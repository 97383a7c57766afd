import AppStoreServerAPI
import SignedData
import StoreModel

/// Asks the App Store Server API about a proof, and combines its signed answers with the proof. Documentation/app-store-updates.md
/// has the calls for each kind of proof.
struct ServerAPIVerification: Sendable {
  let client: AppStoreServerAPIClient
  let app: BundleID
  /// The latest date that an answer may contain.
  let latest: StoreDate
  /// The store may not know purchases from this date on yet.
  let newFrom: StoreDate

  /// The maximum number of calls for the purchases that a receipt lacks, for its consumables that no customer has claimed, and for
  /// purchases that it calls refunded and the refund history does not have.
  static let mostSingleCalls = 20
  /// How long the store may not know a purchase, in seconds.
  static let newSeconds: Int64 = 3_600

  /// Verifies a proof whose signature this server has verified.
  ///
  /// - Parameter signed: the content of the proof.
  /// - Throws: `ServerAPIClientError`, ``ProofRefusal``, ``AnswerFault``, ``PurchaseNotKnownYet``, `CancellationError`; so do the other
  ///   functions.
  func verify(_ signed: VerifiedProof) async throws -> VerifiedProof {
    do {
      return try await answer(about: signed)
    } catch let error as ServerAPIClientError where error.isAboutUnknownPurchase {
      let newest = (signed.purchases.map(\.purchaseDate) + [signed.issuedDate].compactMap(\.self)).max()
      guard let newest, newest >= newFrom else { throw error }
      throw PurchaseNotKnownYet()
    }
  }

  private func answer(about signed: VerifiedProof) async throws -> VerifiedProof {
    var statements = StoreStatements()
    guard signed.proof.kind == .appReceipt else {
      // The proof has one purchase.
      for purchase in signed.purchases {
        try await ask(about: purchase.transactionID, in: signed.environment, &statements)
      }
      return try proof(signed.proof, signed.environment, statements, signed: signed, purchases: statements.purchases)
    }
    let own = Set(signed.purchases.map(\.transactionID))
    if let any = own.min() { try await ask(about: signed, any: any, &statements) }
    return try proof(
      signed.proof, signed.environment, statements, signed: signed,
      purchases: signed.purchases.map { statements.purchase($0.transactionID) ?? $0.stated(at: signed.statedDate) }
        + statements.purchases.filter { !own.contains($0.transactionID) })
  }

  /// Asks about requested purchases of an app receipt.
  ///
  /// - Parameters:
  ///   - missing: purchases that the receipt lacks, such as finished consumables. Only those of the receipt's customer are added:
  ///     everybody may know the ids of others.
  ///   - unclaimed: consumables in the receipt that no customer has claimed. The answers contain their account tokens. Those that
  ///     the store does not know, or that are too many, are left out.
  ///   - known: the content of the receipt with the store's answers.
  func adding(
    _ missing: [TransactionID], confirming unclaimed: [TransactionID], to known: VerifiedProof
  ) async throws -> VerifiedProof {
    var statements = StoreStatements()
    let dates = Dictionary(known.purchases.map { ($0.transactionID, $0.purchaseDate) }) { first, _ in first }
    for id in unclaimed.prefix(Self.mostSingleCalls) {
      if let transaction = try await transaction(id, in: known.environment) {
        guard transaction.transactionID == id else {
          throw AnswerFault.unreadable("it is the answer about another transaction")
        }
        try statements.add(transaction)
      } else if let date = dates[id], date >= newFrom {
        throw PurchaseNotKnownYet()
      }
    }
    let unconfirmed = Set(unclaimed)
    let confirmed = known.purchases.compactMap { purchase in
      statements.purchase(purchase.transactionID) ?? (unconfirmed.contains(purchase.transactionID) ? nil : purchase)
    }
    let own = Set(confirmed.map(\.transactionID))
    if !missing.isEmpty, let any = known.purchases.map(\.transactionID).min(),
      let owner = try await client.transaction(any, in: known.environment).value.appTransactionID
    {
      for id in missing.prefix(Self.mostSingleCalls) {
        // If the store does not know it, the redemption refuses it: the proof does not contain it.
        guard let transaction = try await transaction(id, in: known.environment) else { continue }
        if transaction.transactionID == id, transaction.appTransactionID == owner { try statements.add(transaction) }
      }
    }
    guard !statements.purchases.isEmpty || confirmed.count < known.purchases.count else { return known }
    return try proof(
      known.proof, known.environment, statements, signed: known,
      purchases: confirmed + statements.purchases.filter { !own.contains($0.transactionID) })
  }

  /// Returns what the store states about a bare transaction id.
  func verify(_ id: TransactionID) async throws -> VerifiedProof {
    var statements = StoreStatements()
    let environment = try await ask(about: id, in: nil, &statements)
    return try proof(.transactionID(id), environment, statements, signed: nil, purchases: statements.purchases)
  }

  private func proof(
    _ proof: PurchaseProof, _ environment: StoreEnvironment, _ statements: StoreStatements, signed: VerifiedProof?,
    purchases: [ProvenPurchase]
  ) throws -> VerifiedProof {
    try check(statements)
    // One stored id suffices for all purchases of a customer in an app, as the store returns the whole history for it.
    let any = statements.appTransactionID ?? signed?.storedID ?? purchases.map(\.transactionID).min()
    let statedDate = max(statements.newestDate, signed?.statedDate ?? statements.newestDate)
    let isIssued: @Sendable (DeviceIdentifier) -> Bool = { signed?.isIssued($0) ?? false }
    return VerifiedProof(
      proof: proof, app: app, environment: environment, statedDate: statedDate, issuedDate: signed?.issuedDate,
      purchases: purchases, renewals: statements.renewals.merging(signed?.renewals ?? [:]) { new, _ in new },
      stored: any.map(PurchaseProof.transactionID),
      isIssued: isIssued)
  }

  /// - Throws: ``AnswerFault/dateAhead(_:)``.
  func check(_ statements: StoreStatements) throws {
    guard statements.latestPastDate <= latest else {
      throw AnswerFault.dateAhead("it contains the date \(statements.latestPastDate.text)")
    }
  }

  // MARK: Calls

  /// Returns a transaction; nil if the store does not know it.
  private func transaction(_ id: TransactionID, in environment: StoreEnvironment) async throws -> SignedTransaction? {
    do {
      return try await client.transaction(id, in: environment).value
    } catch let error as ServerAPIClientError where error.code == .transactionIdNotFound {
      return nil
    }
  }

  /// Asks about one transaction, and about its subscription if it is a period of one.
  @discardableResult
  private func ask(
    about id: TransactionID, in environment: StoreEnvironment?, _ statements: inout StoreStatements
  ) async throws -> StoreEnvironment {
    let transaction = try await client.transaction(id, in: environment).value
    guard transaction.transactionID == id, let environment = transaction.environment else {
      throw AnswerFault.unreadable("it is the answer about another transaction, or without an environment")
    }
    try statements.add(transaction)
    if transaction.type == .autoRenewableSubscription {
      try await askForStatuses(any: id, in: environment, of: [transaction.originalTransactionID], &statements)
    }
    return environment
  }

  /// Asks about the purchases of an app receipt.
  ///
  /// - Parameter any: an id of the receipt's customer.
  private func ask(
    about signed: VerifiedProof, any: TransactionID, _ statements: inout StoreStatements
  ) async throws {
    let environment = signed.environment
    for try await page in client.refundHistory(of: any, in: environment) {
      for transaction in page.transactions { try statements.add(transaction.value) }
      try Task.checkCancellation()
    }
    let subscriptions = Set(signed.purchases.filter { $0.expiresDate != nil }.map(\.originalTransactionID))
    if !subscriptions.isEmpty { try await askForStatuses(any: any, in: environment, of: subscriptions, &statements) }
    // A refund that was reversed, or an upgrade, which receipts contain as a refund.
    let unexplained = signed.purchases.filter { $0.revocation != nil && statements.purchase($0.transactionID) == nil }
    for purchase in unexplained.sorted(by: { $0.transactionID > $1.transactionID }).prefix(Self.mostSingleCalls) {
      try statements.add(try await client.transaction(purchase.transactionID, in: environment).value)
    }
  }

  private func askForStatuses(
    any: TransactionID, in environment: StoreEnvironment, of subscriptions: Set<TransactionID>,
    _ statements: inout StoreStatements
  ) async throws {
    for subscription in try await client.subscriptions(of: any, in: environment) {
      guard subscriptions.contains(subscription.transaction.value.originalTransactionID) else { continue }
      try statements.add(subscription)
    }
  }
}

extension VerifiedProof {
  /// The stored transaction id; nil if a receipt or nothing is stored.
  fileprivate var storedID: TransactionID? {
    if case .transactionID(let id)? = stored { id } else { nil }
  }
}

extension ProvenPurchase {
  /// The purchase, stated at a date.
  fileprivate func stated(at date: StoreDate) -> ProvenPurchase {
    var purchase = self
    purchase.statedDate = date
    return purchase
  }
}
