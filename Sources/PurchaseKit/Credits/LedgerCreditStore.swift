import Foundation
import StoreModel

/// Credits whose books the developer's server keeps: purchases are redeemed there, spends are made there, and the balance here is a
/// copy to look at.
///
/// One authority for each consumable: a product that gives credits here gives none in a ``VaultCreditStore``.
///
/// A spend is on record here, durably, before the server is asked, and stays there until the server has said how it ended. Asked again with
/// its key it is the same spend, also after a crash: ``settlePendingSpends()`` does so for all there are.
public final class LedgerCreditStore: CreditStore {
  /// Makes what shows the server that a purchase was paid for.
  public typealias Proof = @Sendable () async throws -> StoreProof

  /// How a spend ended.
  public enum SpendOutcome: Hashable, Sendable {
    case spent
    case refused(CreditError)
  }

  private let server: PurchaseServerClient
  private let unit: String
  private let books: LedgerCreditRecords
  private let attempts: Int
  private let reachability: any Reachability
  private let clock: any MachineClock
  private let proof: Proof
  private let disk = DiskQueue("ledger credits")
  /// Spends that the server refused and that could not be removed from the record yet. They are not sent again unless the app asks,
  /// because the balance may cover them later.
  private let refusedSpends = LockedValue<[UUID: CreditError]>([:])
  private let replay: LedgerReplay
  /// So many purchases are redeemed at the same time, however many were paid for and wait at launch.
  private let semaphore = Semaphore(4)

  /// - Parameters:
  ///   - url: the file in which spends are on record, which one process at a time can have open; nil for memory.
  ///   - server: keeps the books.
  ///   - unit: what is counted, as the server calls it.
  ///   - attempts: how many failures of the network in a row make a purchase wait in the queue, or a spend stay open; at least 1.
  ///   - reachability: when the network is tried again.
  ///   - clock: dates the copies of the balance, and measures the pauses that a server asks for.
  ///   - proofRetention: for how many seconds a purchase's proof is kept after it was bought, so that a server's ledger which
  ///     was restored from a backup can be shown it again; also for how long spends are sent to such a ledger. A backup that
  ///     is older loses what was bought before. 180 days unless it says otherwise.
  ///   - proof: the app receipt, as ``ReceiptReader/proof()`` reads it. It contains a consumable until its transaction is finished.
  /// - Throws: `DurableSQLiteError`.
  public init(
    at url: URL?, server: PurchaseServerClient, unit: String, attempts: Int = 3,
    reachability: any Reachability = ExponentialBackoff(), clock: any MachineClock = SystemClock(),
    proofRetention: TimeInterval = 180 * 86_400,
    proof: @escaping Proof
  ) throws {
    books = try LedgerCreditRecords(at: url)
    replay = LedgerReplay(
      server: server, books: books, disk: disk, unit: unit, retention: proofRetention, clock: clock)
    self.server = server
    self.unit = unit
    self.attempts = attempts
    self.reachability = reachability
    self.clock = clock
    self.proof = proof
  }

  /// Gives the file free.
  public func close() throws { try books.close() }

  // MARK: The balance

  /// What the server last said that the customer can spend; 0 for a debt.
  ///
  /// - Throws: ``CreditError/balanceUnknown`` where it was never asked, or it is not known whose credits to tell of: the first question
  ///   after launch, or after ``PurchaseServerClient/forgetCustomer()``, tells who an identified customer is.
  public func balance() throws -> Int {
    guard let copy = try copy() else { throw CreditError.balanceUnknown }
    return max(copy.balance, 0)
  }

  public func balanceDate() throws -> Date? { try copy()?.date }

  /// Reads the balance. A server whose ledger was restored from a backup is sent the purchases and spends first that it may
  /// have forgotten.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func refresh() async throws {
    let (identity, incarnation) = try await read()
    if try await replay.run(for: identity, in: incarnation) { _ = try await read() }
  }

  /// - Returns: whose balance it is, and the incarnation of the server's ledger.
  private func read() async throws -> (PurchaseServerClient.Identity, incarnation: String) {
    var attempts = 3
    while true {
      let answersKept = books.answersKept
      let credits = try await server.credits()
      let balance = credits.balances.first { $0.unit == unit }
      let copy = LedgerCreditRecords.Copy(
        balance: Int(balance?.balance ?? 0), sequence: balance?.movements ?? 0, date: clock.now.date,
        incarnation: credits.incarnation)
      let isKept = try await disk.run { [books, unit] in
        try books.keep(copy, of: unit, credits.identity.customer, sentAfter: answersKept)
      }
      attempts -= 1
      if isKept || attempts == 0 { return (credits.identity, credits.incarnation) }
    }
  }

  /// Of the customer who is known; nobody else's.
  private func copy() throws -> LedgerCreditRecords.Copy? {
    try server.customer.flatMap { try books.balance(of: unit, $0) }
  }

  // MARK: Granting

  /// Has a purchase redeemed. What it gives is the server's to say, whatever the app thinks.
  ///
  /// - Throws: ``RefusedPurchase``; ``PurchaseServerError``.
  public func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) async throws -> CreditGrant {
    let permit = Permit(semaphore)
    defer { permit.release() }
    try await permit.acquire()
    let purchase = RedeemablePurchase(
      transactionIdentifier: transactionIdentifier, productIdentifier: productIdentifier, date: date,
      proof: try await proof())
    var retries = RetryBudget(attempts: attempts, reachability: reachability, clock: clock, permit: permit)
    let before = try await disk.run { try self.copy() }
    _ = try await Redeemer(server: server).goods(for: purchase, isRestored: false, retries: &retries)
    // The transaction is finished after this, and no later receipt lists it.
    let owner = try await server.currentIdentity().owner
    try await disk.run { [books, unit, replay] in
      try books.keep(
        purchase, of: unit, owner: owner, incarnation: before?.incarnation ?? "", oldest: replay.oldest)
    }
    do {
      try await refresh()
    } catch is PurchaseServerError {
      // It is given; the copy is as old as it says.
    }
    let after = try await disk.run { try self.copy() }
    return CreditGrant(isNew: before?.sequence != after?.sequence, balance: max(after?.balance ?? 0, 0))
  }

  // MARK: Spending

  /// The customer's spends that are on record and whose outcome is open, oldest first.
  ///
  /// - Throws: ``CreditError/balanceUnknown`` where it is not known whose to tell of, as ``balance()``.
  public var pendingSpends: [PendingSpend] {
    get throws {
      guard let customer = server.customer else { throw CreditError.balanceUnknown }
      return try books.spends(of: unit).filter { server.successor(of: $0.customer) == customer }
    }
  }

  /// Spends credits, all or nothing. The same key and amount again is the same spend.
  ///
  /// - Returns: the balance by the latest movement that is known.
  /// - Throws: ``CreditError``; ``CreditError/outcomeUnknown(key:reason:)`` for whatever keeps the outcome from being known once the
  ///   spend is on record: ask again with the same key. Other errors were thrown before, and nothing was asked.
  public func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    let identity = try await server.currentIdentity()
    let spend = PendingSpend(key: key, credits: credits, customer: identity.customer, date: date)
    let known = try await disk.run { [books, unit] in try books.begin(spend, of: unit, owner: identity.owner) }
    guard known.credits == credits else { throw CreditError.keyReused(key) }
    // The app asks: one that was refused is tried once more.
    refusedSpends.withLock { $0[key] = nil }
    return try await ask(for: known)
  }

  /// Asks again for every spend whose outcome is open, as at launch. Another customer's is not asked for, and none that was refused
  /// in this run.
  ///
  /// - Returns: how those ended of which the server has said it. What it does not answer stays on record.
  /// - Throws: the record could not be read; nothing was asked.
  public func settlePendingSpends() async throws -> [UUID: SpendOutcome] {
    var outcomes: [UUID: SpendOutcome] = [:]
    await replay.forgetRefusals()
    for spend in try await disk.run({ [books, unit] in try books.spends(of: unit) }) {
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
    var retries = RetryBudget(attempts: attempts, reachability: reachability, clock: clock)
    let movement: ServerCreditMovement
    let answersKept = books.answersKept
    do {
      movement = try await retries.request { [server, unit] in
        // Under another customer the same key would be another spend.
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
      let isKept = try await disk.run { [books, unit] in
        try books.spent(spend, copy, of: unit, customer, sentAfter: answersKept)
      }
      if !isKept { try? await refresh() }
      return try await disk.run { [books, unit] in max(try books.balance(of: unit, customer)?.balance ?? 0, 0) }
    } catch {
      // It is spent all the same, and stays on record: asked for again, it is the same spend.
      return max(copy.balance, 0)
    }
  }

  /// Takes a refused spend off the record.
  ///
  /// - Returns: what to tell the app: the refusal, or that the spend is open while it is on record.
  private func ended(_ spend: PendingSpend, _ refusal: CreditError) async -> CreditError {
    do {
      try await disk.run { [books] in try books.refused(spend) }
      refusedSpends.withLock { $0[spend.key] = nil }
      return refusal
    } catch {
      refusedSpends.withLock { $0[spend.key] = refusal }
      return .outcomeUnknown(key: spend.key, reason: "\(refusal) That could not be put on record: \(error)")
    }
  }

  /// - Returns: nil for a refusal that does not end the spend.
  private func meaning(of refusal: ServerRefusal, for spend: PendingSpend) async -> CreditError? {
    guard !refusal.isTemporary else { return nil }
    switch refusal.code {
    case "insufficientCredits":
      _ = try? await refresh()
      return .insufficient(balance: (try? balance()) ?? 0, requested: spend.credits)
    case "spendingBlocked": return .spendingBlocked
    case "keyReused": return .keyReused(spend.key)
    case "amountOutOfRange": return .amountOutOfRange(spend.credits)
    // Of the token, or of something that a later version of the server knows.
    default: return nil
    }
  }
}
