import Foundation

/// Credits in a ``PurchaseVault``.
public final class VaultCreditStore: CreditStore, BlockingCreditStore {
  private let vault: PurchaseVault

  public init(_ vault: PurchaseVault) { self.vault = vault }

  public func balance() throws -> Int { try vault.read { try $0.head.books.balance() } }

  public func freeze() -> CreditFreeze? { vault.creditFreeze }

  public func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) throws -> CreditGrant {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    return try vault.update { draft in
      let balance = try draft.credits.balance()
      // The amount is not compared: a later version of the app may give another amount for the product, and must not
      // grant the same transaction twice.
      if case .grant(let known) = try draft.record(.grant(transactionIdentifier)) {
        guard known.isOfPurchase(of: productIdentifier, on: date) else {
          throw TransactionIdentifierReused(
            transactionIdentifier: transactionIdentifier, productIdentifier: productIdentifier,
            deliveredProductIdentifier: known.productIdentifier, deliveredPurchaseDate: known.date)
        }
        return CreditGrant(isNew: false, balance: balance)
      }
      if draft.keyItem.hasGivenUp(transactionIdentifier) {
        return CreditGrant(isNew: false, balance: balance)
      }
      try draft.credits.grant(credits)
      draft.put(
        .grant(
          CreditGrantEntry(
            transactionIdentifier: transactionIdentifier, productIdentifier: productIdentifier, credits: credits,
            date: date)))
      return CreditGrant(isNew: true, balance: try draft.credits.balance())
    }
  }

  public func grant(_ credits: Int, for purchase: PaidPurchase) async throws -> CreditGrant {
    try grant(
      credits, for: purchase.grantIdentifier, productIdentifier: purchase.productIdentifier, date: purchase.date)
  }

  public func spend(_ credits: Int, key: UUID, date: Date) throws -> Int {
    guard credits > 0 else { throw CreditError.amountOutOfRange(credits) }
    return try vault.update { draft in
      let balance = try draft.credits.balance()
      if case .spend(let known) = try draft.record(.spend(key.uuidString)) {
        guard known.credits == credits else { throw CreditError.keyReused(key) }
        return balance
      }
      try draft.credits.spend(credits)
      draft.put(.spend(CreditSpendEntry(key: key, credits: credits, date: date)))
      return try draft.credits.balance()
    }
  }

  /// Returns all grants, by date. Reads every record of the vault.
  public func grants() throws -> [CreditGrantEntry] {
    try vault.read { contents in
      _ = try contents.head.books.balance()
      return try contents.file.records(contents.tags, contents.cipher)
        .compactMap { if case .grant(let grant) = $0 { grant } else { nil } }
        .sorted(by: CreditGrantEntry.isEarlier)
    }
  }
}
