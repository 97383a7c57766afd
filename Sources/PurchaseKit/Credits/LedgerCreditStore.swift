import Foundation

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
  private let books: LedgerCreditBooks
  private let attempts: Int
  private let reachability: any Reachability
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let proof: Proof

  /// - Parameters:
  ///   - url: the file in which spends are on record, which one process at a time can have open; nil for memory.
  ///   - server: keeps the books.
  ///   - unit: what is counted, as the server calls it.
  ///   - attempts: how many failures of the network in a row make a purchase wait in the queue, or a spend stay open; at least 1.
  ///   - reachability: when the network is tried again.
  ///   - clock: measures how long a server wants to be left alone.
  ///   - now: the date of a copy of the balance.
  ///   - proof: the app receipt, as ``ReceiptReader/proof()`` reads it. It contains a consumable until its transaction is finished.
  /// - Throws: `DurableSQLiteError`.
  public init(
    at url: URL?, server: PurchaseServerClient, unit: String, attempts: Int = 3,
    reachability: any Reachability = ExponentialBackoff(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, proof: @escaping Proof
  ) throws {
    books = try LedgerCreditBooks(at: url)
    self.server = server
    self.unit = unit
    self.attempts = attempts
    self.reachability = reachability
    self.clock = clock
    self.now = now
    self.proof = proof
  }

  /// Gives the file free.
  public func close() throws { try books.close() }

  // MARK: The balance

  /// What the server last said can be spent; 0 for a debt.
  ///
  /// - Throws: ``CreditError/balanceUnknown`` where it was never asked.
  public func balance() throws -> Int {
    guard let copy = try books.balance(of: unit) else { throw CreditError.balanceUnknown }
    return max(copy.balance, 0)
  }

  public func balanceDate() throws -> Date? { try books.balance(of: unit)?.date }

  /// - Throws: ``PurchaseServerError``.
  public func refresh() async throws { _ = try await readBalance() }

  private func readBalance() async throws -> ServerCreditBalance? {
    let balance = try await server.creditBalances().first { $0.unit == unit }
    try books.keep(copy(balance?.balance ?? 0), of: unit)
    return balance
  }

  private func copy(_ balance: Int64) -> LedgerCreditBooks.Copy { .init(balance: Int(balance), date: now()) }

  // MARK: Granting

  /// Has a purchase redeemed. What it gives is the server's to say, whatever the app thinks.
  ///
  /// - Throws: ``RefusedPurchase``; ``PurchaseServerError``.
  public func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) async throws -> CreditGrant {
    let purchase = KeptRedemption(
      transactionIdentifier: transactionIdentifier, productIdentifier: productIdentifier, proof: try await proof())
    var patience = Patience(attempts: attempts, reachability: reachability, clock: clock)
    let before = try books.balance(of: unit)?.balance
    _ = try await Redeemer(server: server).goods(for: purchase, isRestored: false, patience: &patience)
    do {
      try await refresh()
    } catch is PurchaseServerError {
      // It is given; the copy is as old as it says.
    }
    let after = try books.balance(of: unit)?.balance
    return CreditGrant(isNew: before != after, balance: max(after ?? 0, 0))
  }

  // MARK: Spending

  /// Spends that are on record and whose outcome is open, oldest first.
  public var pendingSpends: [PendingSpend] { get throws { try books.spends(of: unit) } }

  /// Spends credits, all or nothing. The same key and amount again is the same spend.
  ///
  /// - Throws: ``CreditError``; ``CreditError/outcomeUnknown(key:reason:)`` where the server did not answer: ask again with the
  ///   same key.
  public func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    let customer: UUID
    if let known = server.customer { customer = known } else { customer = try await server.identify() }
    let spend = PendingSpend(key: key, credits: credits, customer: customer, date: date)
    let known = try books.begin(spend, of: unit)
    guard known.credits == credits else { throw CreditError.keyReused(key) }
    return try await ask(for: known)
  }

  /// Asks again for every spend whose outcome is open, as at launch.
  ///
  /// - Returns: how those ended of which the server has said it. What it does not answer stays on record.
  /// - Throws: what the database, or the app's own parts, threw.
  public func settlePendingSpends() async throws -> [UUID: SpendOutcome] {
    var outcomes: [UUID: SpendOutcome] = [:]
    for spend in try pendingSpends {
      do {
        _ = try await ask(for: spend)
        outcomes[spend.key] = .spent
      } catch CreditError.outcomeUnknown, CreditError.otherCustomer {
        continue
      } catch let error as CreditError {
        outcomes[spend.key] = .refused(error)
      }
    }
    return outcomes
  }

  private func ask(for spend: PendingSpend) async throws -> Int {
    // Under another customer the same key would be another spend.
    guard try await customerIs(spend.customer, for: spend) else { throw CreditError.otherCustomer(key: spend.key) }
    var patience = Patience(attempts: attempts, reachability: reachability, clock: clock)
    do {
      let movement = try await patience.asking { [server, unit] in
        try await server.spend(spend.credits, of: unit, key: spend.key.uuidString)
      }
      try books.end(spend.key, copy(movement.balance), of: unit)
      return max(Int(movement.balance), 0)
    } catch let error as PurchaseServerError {
      throw try await meaning(of: error, for: spend)
    }
  }

  private func customerIs(_ customer: UUID, for spend: PendingSpend) async throws -> Bool {
    if server.customer == customer { return true }
    // An installation may have been joined with the customer that an earlier one made.
    do {
      return try await server.identify() == customer
    } catch let error as PurchaseServerError {
      throw CreditError.outcomeUnknown(key: spend.key, reason: error.description)
    }
  }

  private func meaning(of error: PurchaseServerError, for spend: PendingSpend) async throws -> CreditError {
    guard case .refused(let refusal) = error, !refusal.isTemporary else {
      return .outcomeUnknown(key: spend.key, reason: error.description)
    }
    // The token was refused, and a new one is another customer's, of whose credits this answer speaks.
    guard server.customer == spend.customer else { return .otherCustomer(key: spend.key) }
    switch refusal.code {
    case "insufficientCredits":
      try books.end(spend.key, nil, of: unit)
      _ = try? await readBalance()
      return .insufficient(balance: (try? balance()) ?? 0, requested: spend.credits)
    case "spendingBlocked":
      try books.end(spend.key, nil, of: unit)
      return .spendingBlocked
    case "keyReused":
      try books.end(spend.key, nil, of: unit)
      return .keyReused(spend.key)
    case "amountOutOfRange":
      try books.end(spend.key, nil, of: unit)
      return .amountOutOfRange(spend.credits)
    // Of the token, or of something that a later version of the server knows.
    default: return .outcomeUnknown(key: spend.key, reason: error.description)
    }
  }
}
