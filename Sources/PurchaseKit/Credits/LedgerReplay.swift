import Foundation
import StoreModel

/// Sends a ledger that was restored from a backup what it may have forgotten: purchases, with the proofs that were kept,
/// and then spends, with their keys. The server finds what it has not forgotten, and does nothing twice.
///
/// Documentation/purchase-kit.md, "When the server's ledger is restored".
actor LedgerReplay {
  private let server: PurchaseServerClient
  private let books: LedgerCreditRecords
  private let disk: DiskQueue
  private let unit: String
  private let retention: TimeInterval
  private let clock: any MachineClock
  private var isRunning = false
  /// What the server has refused in this run of the app, by transaction identifier or key, for a reason that may pass.
  private var refused: Set<String> = []

  init(
    server: PurchaseServerClient, books: LedgerCreditRecords, disk: DiskQueue, unit: String, retention: TimeInterval,
    clock: any MachineClock
  ) {
    self.server = server
    self.books = books
    self.disk = disk
    self.unit = unit
    self.retention = retention
    self.clock = clock
  }

  /// Purchases and spends from before this date are not sent again.
  nonisolated var oldest: Date { clock.now.date.addingTimeInterval(-retention) }

  /// Has the next run try again what was refused.
  func forgetRefusals() { refused = [] }

  /// - Parameters:
  ///   - identity: the present customer.
  ///   - incarnation: the server's.
  /// - Returns: whether the server has confirmed anything, so that the balance may be another.
  /// - Throws: the records could not be read or written.
  func run(for identity: PurchaseServerClient.Identity, in incarnation: String) async throws -> Bool {
    guard !incarnation.isEmpty, !isRunning else { return false }
    isRunning = true
    defer { isRunning = false }
    let (books, unit, oldest, server) = (books, unit, oldest, server)
    let due = try await disk.run {
      try books.unconfirmed(of: unit, in: incarnation, oldest: oldest) { owner, customer in
        owner == identity.owner || (owner.isEmpty && customer.map(server.successor) == identity.customer)
      }
    }
    var hasConfirmed = false
    do {
      // Spends are made of what purchases gave.
      for purchase in due.purchases where !refused.contains(purchase.transactionIdentifier) {
        guard try await send(purchase, as: identity) else { continue }
        try await disk.run { try books.confirm(purchase, of: unit, in: incarnation) }
        hasConfirmed = true
      }
      for spend in due.spends where !refused.contains(spend.key.uuidString) {
        guard let movement = try await send(spend, as: identity) else { continue }
        let copy = LedgerCreditRecords.Copy(movement, date: clock.now.date)
        _ = try await disk.run {
          // The balance is read again after all of them.
          try books.spent(spend, copy, of: unit, identity.customer, sentAfter: books.answersKept)
        }
        hasConfirmed = true
      }
    } catch is PurchaseServerError {
      // The server is away, or has too much to do: the rest is sent with the next reading of the balance.
    } catch is PurchaseServerClient.OtherCustomer {
      // Another customer has signed in: they are asked for when their own is back.
    }
    return hasConfirmed
  }

  /// - Returns: whether the server has the purchase, or owes nothing for it.
  /// - Throws: errors that concern what comes after it as well.
  private func send(_ purchase: RedeemablePurchase, as identity: PurchaseServerClient.Identity) async throws -> Bool {
    let claimed = PurchaseServerClient.ClaimedPurchase(
      transactionIdentifier: purchase.transactionIdentifier, productIdentifier: purchase.productIdentifier)
    do {
      let answer = try await server.redeem(purchase.proof, [claimed], as: identity.customer)
      let redeemed = answer.purchases.first { $0.transactionId == purchase.transactionIdentifier }
      if redeemed?.given != nil { return true }
      if let code = redeemed?.refusal?.code, ["refunded", "revoked", "claimedByAnotherCustomer"].contains(code) {
        return true
      }
    } catch PurchaseServerError.refused(let refusal) where !refusal.isTemporary {}
    refused.insert(purchase.transactionIdentifier)
    return false
  }

  /// - Returns: the movement; nil where the server refuses it. Credits that another device bought may still be missing.
  /// - Throws: errors that concern what comes after it as well.
  private func send(
    _ spend: PendingSpend, as identity: PurchaseServerClient.Identity
  ) async throws -> ServerCreditMovement? {
    do {
      return try await server.spend(spend.credits, of: unit, key: spend.key.uuidString, as: identity.customer)
    } catch PurchaseServerError.refused(let refusal) where !refusal.isTemporary {
      refused.insert(spend.key.uuidString)
      return nil
    }
  }
}

extension LedgerCreditRecords.Copy {
  init(_ movement: ServerCreditMovement, date: Date) {
    self.init(
      balance: Int(movement.balance), sequence: movement.sequence, date: date, incarnation: movement.incarnation ?? "")
  }
}
