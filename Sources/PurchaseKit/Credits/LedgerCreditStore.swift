import Foundation
import StoreModel

/// Credits that the developer's server stores. Purchases are redeemed and credits are spent there; the balance on the
/// device is a copy for display.
///
/// Each consumable must have one store: a product that gives credits here must not give credits in a ``VaultCreditStore``.
///
/// A spend is recorded on the device, durably, before the request is sent, and stays pending until the server has reported
/// its outcome. A request with the same key is the same spend, also after a crash. ``settlePendingSpends()`` repeats the
/// requests of all pending spends.
public final class LedgerCreditStore: CreditStore {
  /// Makes the proof that a purchase was paid for. Not called for a purchase with a signed transaction
  /// (``PaidPurchase/signedTransaction``), which is its own proof.
  public typealias Proof = @Sendable () async throws -> StoreProof

  /// The outcome of a spend.
  public enum SpendOutcome: Hashable, Sendable {
    case spent
    case refused(CreditError)
  }

  let server: PurchaseServerClient
  let unit: String
  let records: LedgerCreditRecords
  private let attempts: Int
  private let retry: any RetrySchedule
  private let clock: any MachineClock
  private let proof: Proof
  let disk = DiskQueue("ledger credits")
  /// Spends that the server refused and whose records could not be deleted yet. They are sent again only if the app
  /// calls ``spend(_:key:date:)`` with the same key. An automatic repetition could spend the credits later, when the
  /// balance is high enough.
  private let refusedSpends = LockedValue<[UUID: CreditError]>([:])
  private let replay: LedgerReplay
  /// Limits the number of purchases that are redeemed at the same time, for instance at launch.
  private let semaphore = Semaphore(4)

  /// - Parameters:
  ///   - url: the file of pending spends and balances, which only one process can have open; nil to keep them in
  ///     memory.
  ///   - server: stores the credits.
  ///   - unit: the server's name of the credits.
  ///   - attempts: the number of network failures in a row after which a purchase stays in the queue, or a spend stays
  ///     pending; at least 1.
  ///   - retry: decides when a failed request is made again.
  ///   - clock: provides the dates of the copies of the balance, and measures the pauses that a server asks for.
  ///   - proofRetention: the age, in seconds, up to which purchases and spends are sent again if the server's ledger
  ///     was restored from a backup. The age of a purchase is measured from the newest purchase, because both dates are the
  ///     store's. An older purchase is lost if the backup does not contain it. 180 days by default.
  ///   - proof: returns the app receipt, as ``ReceiptReader/proof()`` does. The receipt contains a consumable until its
  ///     transaction is finished.
  /// - Throws: `DurableSQLiteError`.
  public init(
    at url: URL?, server: PurchaseServerClient, unit: String, attempts: Int = 3,
    retry: any RetrySchedule = TimedRetry(.upToHalfAMinute), clock: any MachineClock = SystemClock(),
    proofRetention: TimeInterval = 180 * 86_400,
    proof: @escaping Proof
  ) throws {
    records = try LedgerCreditRecords(at: url)
    replay = LedgerReplay(
      server: server, records: records, disk: disk, unit: unit, retention: proofRetention, clock: clock)
    self.server = server
    self.unit = unit
    self.attempts = attempts
    self.retry = retry
    self.clock = clock
    self.proof = proof
  }

  /// Closes the store and releases its file.
  public func close() throws { try records.close() }

  // MARK: The balance

  /// Returns the balance that the server last reported; 0 if the customer has a debt.
  ///
  /// - Throws: ``CreditError/balanceUnknown`` if it was never requested, or the customer is not known. An identified
  ///   customer is known after the first request since launch, or since ``PurchaseServerClient/forgetCustomer()``.
  ///   ``CreditError/frozen(_:)``; see ``freeze()``.
  public func balance() throws -> Int {
    guard let copy = try copy() else { throw CreditError.balanceUnknown }
    if let freeze = try earlierBalances().freeze { throw CreditError.frozen(freeze) }
    return max(copy.balance, 0)
  }

  public func balanceDate() throws -> Date? { try copy()?.date }

  /// Reads the balance. If the server's ledger was restored from a backup, purchases and spends that it may lack are sent
  /// again.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func refresh() async throws {
    let (identity, incarnation) = try await read()
    if try await replay.run(for: identity, in: incarnation) { _ = try await read() }
  }

  /// - Returns: the customer whose balance was read, and the incarnation of the server's ledger.
  func read() async throws -> (PurchaseServerClient.Identity, incarnation: String) {
    var attempts = 3
    while true {
      let answersKept = records.answersKept
      let credits = try await server.credits()
      let isKept = try await keep(credits, sentAfter: answersKept)
      attempts -= 1
      if isKept || attempts == 0 { return (credits.identity, credits.incarnation) }
    }
  }

  /// Does what ``refresh()`` does with balances that were read for all stores of the app.
  ///
  /// - Parameter answers: ``LedgerCreditRecords/answersKept`` when the balances were requested.
  func refresh(with credits: PurchaseServerClient.Credits, sentAfter answers: Int) async throws {
    guard try await keep(credits, sentAfter: answers) else { return try await refresh() }
    if try await replay.run(for: credits.identity, in: credits.incarnation) { _ = try await read() }
  }

  /// - Returns: whether the copy was stored; see ``LedgerCreditRecords/keep(_:of:_:sentAfter:)``.
  private func keep(_ credits: PurchaseServerClient.Credits, sentAfter answers: Int) async throws -> Bool {
    let balance = credits.balances.first { $0.unit == unit }
    let copy = LedgerCreditRecords.Copy(
      balance: Int(balance?.balance ?? 0), sequence: balance?.movements ?? 0, date: clock.now.date,
      incarnation: credits.incarnation)
    return try await disk.run { [records, unit] in
      try records.keep(copy, of: unit, credits.identity, sentAfter: answers)
    }
  }

  /// Returns the copy of the known customer's balance.
  func copy() throws -> LedgerCreditRecords.Copy? {
    try server.customer.flatMap { try records.balance(of: unit, $0) }
  }

  // MARK: Granting

  /// Redeems a purchase. The server decides how many credits the purchase gives; the argument `credits` is ignored.
  ///
  /// - Throws: ``RefusedPurchase``; ``PurchaseServerError``; ``CreditError/frozen(_:)``.
  public func grant(_ credits: Int, for purchase: PaidPurchase) async throws -> CreditGrant {
    let permit = Permit(semaphore)
    defer { permit.release() }
    try await permit.acquire()
    var retries = RetryBudget(attempts: attempts, retry: retry, clock: clock, permit: permit)
    try await requireOneRegistration(&retries)
    let redemption = RedeemablePurchase(
      transactionIdentifier: purchase.grantIdentifier, productIdentifier: purchase.productIdentifier,
      date: purchase.date, proof: try await purchase.proof(orElse: proof))
    let before = try await disk.run { try self.copy() }
    _ = try await Redeemer(server: server).goods(for: redemption, isRestored: false, retries: &retries)
    // The purchase is stored now, because the transaction is finished next, and later receipts do not list it.
    let owner = try await server.currentIdentity().owner
    try await disk.run { [records, unit, replay] in
      try records.keep(
        redemption, of: unit, owner: owner, incarnation: before?.incarnation ?? "", retention: replay.retention)
    }
    do {
      try await refresh()
    } catch is PurchaseServerError {
      // The credits are granted. Only the copy of the balance is old.
    }
    let after = try await disk.run { try self.copy() }
    return CreditGrant(isNew: before?.sequence != after?.sequence, balance: max(after?.balance ?? 0, 0))
  }

  // MARK: Spending

  /// The customer's pending spends, oldest first.
  ///
  /// - Throws: ``CreditError/balanceUnknown`` if the customer is not known, as ``balance()`` does.
  public var pendingSpends: [PendingSpend] {
    get throws {
      guard let customer = server.customer else { throw CreditError.balanceUnknown }
      return try records.spends(of: unit).filter { server.successor(of: $0.customer) == customer }
    }
  }

  /// Spends credits, all or nothing. Repeating a spend with the same key and amount spends once.
  ///
  /// - Returns: the balance after the latest known movement.
  /// - Throws: ``CreditError``. After ``CreditError/outcomeUnknown(key:reason:)`` the spend is recorded, and can be repeated
  ///   with the same key. If another type of error is thrown, no request to spend was sent.
  public func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    let identity = try await server.currentIdentity()
    if let freeze = try await disk.run({ try self.earlierBalances().freeze }) { throw CreditError.frozen(freeze) }
    let spend = PendingSpend(key: key, credits: credits, customer: identity.customer, date: date)
    let known = try await disk.run { [records, unit] in try records.begin(spend, of: unit, owner: identity.owner) }
    guard known.credits == credits else { throw CreditError.keyReused(key) }
    // The app has asked for this spend, so it is tried once more even if the server refused it before.
    refusedSpends.withLock { $0[key] = nil }
    return try await ask(for: known)
  }

  /// Requests the outcome of every pending spend. An app calls this at launch. No outcome is requested for spends of
  /// another customer, and for spends that were refused in this run of the app.
  ///
  /// - Returns: the outcomes that the server has reported. The other spends stay pending.
  /// - Throws: an error if the records cannot be read; no request was sent then.
  public func settlePendingSpends() async throws -> [UUID: SpendOutcome] {
    var outcomes: [UUID: SpendOutcome] = [:]
    await replay.forgetRefusals()
    for spend in try await disk.run({ [records, unit] in try records.spends(of: unit) }) {
      do throws(CreditError) {
        if let refusal = refusedSpends.withLock({ $0[spend.key] }) { throw await ended(spend, refusal) }
        _ = try await ask(for: spend)
        outcomes[spend.key] = .spent
      } catch .outcomeUnknown, .otherCustomer {
        continue
      } catch {
        outcomes[spend.key] = .refused(error)
      }
    }
    return outcomes
  }

  private func ask(for spend: PendingSpend) async throws(CreditError) -> Int {
    var retries = RetryBudget(attempts: attempts, retry: retry, clock: clock)
    let movement: ServerCreditMovement
    let answersKept = records.answersKept
    do {
      movement = try await retries.request { [server, unit] in
        // The server identifies a spend by customer and key. Sent for another customer, it would be a second spend.
        try await server.spend(spend.credits, of: unit, key: spend.key.uuidString, as: spend.customer)
      }
    } catch is PurchaseServerClient.OtherCustomer {
      throw .otherCustomer(key: spend.key)
    } catch PurchaseServerError.refused(let refusal) {
      guard let meaning = await meaning(of: refusal, for: spend) else {
        throw .outcomeUnknown(key: spend.key, reason: refusal.message)
      }
      throw await ended(spend, meaning)
    } catch {
      throw .outcomeUnknown(key: spend.key, reason: "\(error)")
    }
    let copy = LedgerCreditRecords.Copy(movement, date: clock.now.date)
    let customer = server.successor(of: spend.customer)
    do {
      let isKept = try await disk.run { [records, unit] in
        try records.spent(spend, copy, of: unit, customer, sentAfter: answersKept)
      }
      if !isKept { try? await refresh() }
      return try await disk.run { [records, unit] in max(try records.balance(of: unit, customer)?.balance ?? 0, 0) }
    } catch {
      // The credits are spent. The spend stays pending, and repeating it does not spend again.
      return max(copy.balance, 0)
    }
  }

  /// Deletes the record of a refused spend.
  ///
  /// - Returns: the error for the app: the refusal, or `outcomeUnknown` if the record could not be deleted.
  private func ended(_ spend: PendingSpend, _ refusal: CreditError) async -> CreditError {
    do {
      try await disk.run { [records] in try records.refused(spend) }
      refusedSpends.withLock { $0[spend.key] = nil }
      return refusal
    } catch {
      refusedSpends.withLock { $0[spend.key] = refusal }
      return .outcomeUnknown(key: spend.key, reason: "\(refusal) That could not be recorded: \(error)")
    }
  }

  /// - Returns: the error for the app if the refusal ends the spend; otherwise nil.
  private func meaning(of refusal: ServerRefusal, for spend: PendingSpend) async -> CreditError? {
    guard !refusal.isTemporary else { return nil }
    switch refusal.code {
    case "insufficientCredits":
      _ = try? await refresh()
      return .insufficient(balance: (try? balance()) ?? 0, requested: spend.credits)
    case "spendingBlocked": return .spendingBlocked
    case "keyReused": return .keyReused(spend.key)
    case "amountOutOfRange": return .amountOutOfRange(spend.credits)
    // The refusal concerns the token, or has a code of a later version of the server.
    default: return nil
    }
  }
}

/// A spend whose outcome the server has not reported yet.
public struct PendingSpend: Hashable, Sendable {
  public let key: UUID
  public let credits: Int
  /// The customer who began the spend.
  public let customer: UUID
  public let date: Date
}
