import Foundation
import StoreModel

/// Sends purchases and spends again to a server whose ledger was restored from a backup, and may lack them. Purchases are
/// sent first, with their stored proofs, then spends with their keys. The server ignores those that it has.
///
/// See Documentation/purchase-kit.md, "When the server's ledger is restored".
actor LedgerReplay {
  private let server: PurchaseServerClient
  private let records: LedgerCreditRecords
  private let disk: DiskQueue
  private let unit: String
  /// How long proofs and spends are kept, in seconds.
  let retention: TimeInterval
  private let clock: any MachineClock
  private var isRunning = false
  /// The transaction identifiers and spend keys that the server refused since the last ``forgetRefusals()``. The
  /// refusal may be temporary, so their records stay.
  private var refused: Set<String> = []

  init(
    server: PurchaseServerClient, records: LedgerCreditRecords, disk: DiskQueue, unit: String, retention: TimeInterval,
    clock: any MachineClock
  ) {
    self.server = server
    self.records = records
    self.disk = disk
    self.unit = unit
    self.retention = retention
    self.clock = clock
  }

  /// Spends from before this date are not sent again.
  private var oldest: Date { clock.now.date.addingTimeInterval(-retention) }

  /// Lets the next run send refused purchases and spends again.
  func forgetRefusals() { refused = [] }

  /// Sends the purchases and spends that the server has not confirmed in this incarnation of its ledger.
  ///
  /// - Parameters:
  ///   - identity: the current customer.
  ///   - incarnation: identifies the server's ledger; empty if the server has none.
  /// - Returns: whether the server has confirmed anything, so that the balance may have changed.
  /// - Throws: an error if the records cannot be read or written.
  func run(for identity: PurchaseServerClient.Identity, in incarnation: String) async throws -> Bool {
    guard !incarnation.isEmpty, !isRunning else { return false }
    isRunning = true
    defer { isRunning = false }
    let (records, unit, oldest, server) = (records, unit, oldest, server)
    let due = try await disk.run {
      try records.unconfirmed(of: unit, in: incarnation, oldest: oldest) { owner, customer in
        owner == identity.owner || (owner.isEmpty && customer.map(server.successor) == identity.customer)
      }
    }
    var hasConfirmed = false
    do {
      // Purchases first, because spends use up their credits.
      for purchase in due.purchases where !refused.contains(purchase.transactionIdentifier) {
        guard try await send(purchase, as: identity) else { continue }
        try await disk.run { try records.confirm(purchase, of: unit, in: incarnation) }
        hasConfirmed = true
      }
      for spend in due.spends where !refused.contains(spend.key.uuidString) {
        guard let movement = try await send(spend, as: identity) else { continue }
        let copy = LedgerCreditRecords.Copy(movement, date: clock.now.date)
        _ = try await disk.run {
          // The result is ignored, because the caller reads the balance again afterwards.
          try records.spent(spend, copy, of: unit, identity.customer, sentAfter: records.answersKept)
        }
        hasConfirmed = true
      }
    } catch is PurchaseServerError {
      // The server cannot be reached or is busy. The rest is sent when the balance is next read.
    } catch is PurchaseServerClient.OtherCustomer {
      // Another customer has signed in. The rest is sent when the first customer is back.
    }
    return hasConfirmed
  }

  /// - Returns: whether the server has the purchase, or refuses it permanently.
  /// - Throws: errors that also prevent later requests.
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

  /// - Returns: the movement; nil if the server refuses the spend. For example, the restored ledger may still lack
  ///   credits that another device bought.
  /// - Throws: errors that also prevent later requests.
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
