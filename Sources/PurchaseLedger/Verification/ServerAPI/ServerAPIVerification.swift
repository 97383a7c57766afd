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
        try await ask(
          about: purchase.transactionID, original: purchase.originalTransactionID, in: signed.environment, &statements)
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
  ///   - turn: which ones are asked about if they are too many.
  ///   - known: the content of the receipt with the store's answers.
  func adding(
    _ missing: [TransactionID], confirming unclaimed: [TransactionID], turn: Int, to known: VerifiedProof
  ) async throws -> VerifiedProof {
    var statements = StoreStatements()
    let contained = Dictionary(known.purchases.map { ($0.transactionID, $0) }) { first, _ in first }
    for id in unclaimed.asked(inTurn: turn) {
      let purchase = contained[id]
      if let transaction = try await transaction(id, in: known.environment) {
        try add(transaction, about: id, original: purchase?.originalTransactionID, to: &statements)
      } else if let date = purchase?.purchaseDate, date >= newFrom {
        throw PurchaseNotKnownYet()
      }
    }
    if !missing.isEmpty, let any = known.purchases.map(\.transactionID).min(),
      let owner = try await client.transaction(any, in: known.environment).value.appTransactionID
    {
      for id in missing.asked(inTurn: turn) {
        // If the store does not know it, the redemption refuses it: the proof does not contain it.
        guard let transaction = try await transaction(id, in: known.environment) else { continue }
        if transaction.appTransactionID == owner { try statements.add(transaction, about: id) }
      }
    }
    // The answers replace what the receipt states, also about a purchase that was requested by the id of a redelivery.
    let unconfirmed = Set(unclaimed)
    let confirmed = known.purchases.compactMap { purchase in
      statements.purchase(purchase.transactionID) ?? (unconfirmed.contains(purchase.transactionID) ? nil : purchase)
    }
    let own = Set(confirmed.map(\.transactionID))
    guard !statements.purchases.isEmpty || confirmed.count < known.purchases.count else { return known }
    return try proof(
      known.proof, known.environment, statements, signed: known,
      purchases: confirmed + statements.purchases.filter { !own.contains($0.transactionID) })
  }

  /// Returns what the store states about a bare transaction id.
  func verify(_ id: TransactionID) async throws -> VerifiedProof {
    var statements = StoreStatements()
    let environment = try await ask(about: id, original: nil, in: nil, &statements)
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
      redeliveries: statements.redeliveries.merging(signed?.redeliveries ?? [:]) { new, _ in new },
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

  /// Adds the store's answer about an id.
  ///
  /// - Parameter original: the original transaction id that the proof states beside the id; nil if only the id is known. An
  ///   answer with the same one is about the same purchase, also if the id is that of a redelivery.
  /// - Throws: ``AnswerFault/unreadable(_:)`` if the answer is about another purchase.
  private func add(
    _ transaction: SignedTransaction, about id: TransactionID, original: TransactionID?,
    to statements: inout StoreStatements
  ) throws {
    let isSame = transaction.transactionID == id || original == nil || original == transaction.originalTransactionID
    guard isSame else { throw AnswerFault.unreadable("it is the answer about another purchase") }
    try statements.add(transaction, about: id)
  }

  /// Asks about one transaction, and about its subscription if it is a period of one.
  ///
  /// - Parameter original: as for `add`.
  @discardableResult
  private func ask(
    about id: TransactionID, original: TransactionID?, in environment: StoreEnvironment?,
    _ statements: inout StoreStatements
  ) async throws -> StoreEnvironment {
    let transaction = try await client.transaction(id, in: environment).value
    guard let environment = transaction.environment else {
      throw AnswerFault.unreadable("it is without an environment")
    }
    try add(transaction, about: id, original: original, to: &statements)
    if transaction.type == .autoRenewableSubscription {
      try await askForStatuses(
        any: transaction.transactionID, in: environment, of: [transaction.originalTransactionID], &statements)
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
      try add(
        try await client.transaction(purchase.transactionID, in: environment).value, about: purchase.transactionID,
        original: purchase.originalTransactionID, to: &statements)
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

extension [TransactionID] {
  /// Whether one request asks about only some of them.
  var areTooMany: Bool { count > ServerAPIVerification.mostSingleCalls }

  /// Returns those that a request asks about: all, or as many as it may. Successive turns go round, so that purchases that stay
  /// unclaimed, such as those of another customer, do not keep the others from being asked about.
  func asked(inTurn turn: Int) -> [TransactionID] {
    guard areTooMany else { return self }
    let most = ServerAPIVerification.mostSingleCalls
    let start = turn % count * most % count
    var turned = Array(self[start...])
    turned += self[..<start]
    return Array(turned.prefix(most))
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
