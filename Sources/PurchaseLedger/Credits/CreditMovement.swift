import StoreModel

/// One change of a credit account. Movements are never changed; errors are corrected by a further movement.
public struct CreditMovement: Hashable, Codable, Sendable {
  /// The number of the movement within its account: 1, 2, 3 and so on, without gaps.
  public let sequence: Int64
  /// Positive if the customer received credits, negative if the customer lost them; never 0.
  public let amount: Int64
  /// The balance after this movement.
  public let balance: Int64
  public let counterAccount: CounterAccount
  public let cause: Cause
  /// Identifies the movement among the account's movements of the same cause. Documentation/purchase-ledger.md, "Credits",
  /// gives the format.
  public let key: String
  public let date: StoreDate

  /// Why credits moved.
  public enum Cause: String, CaseIterable, Hashable, Codable, Sendable {
    case purchase
    case refund
    case refundReversed
    /// Writes off refunded credits that the customer had already spent.
    case shortfall
    case shortfallReversed
    case spend
    /// An operator gave or removed credits.
    case grant
  }

  /// The app's account that a movement changes by the opposite amount (double-entry bookkeeping).
  public enum CounterAccount: String, CaseIterable, Hashable, Codable, Sendable {
    case sales
    case refunds
    case shortfall
    case spending
    case grants
  }
}

extension CreditMovement.Cause: SQLValueConvertible {
  /// The counter account of movements with this cause.
  var counterAccount: CreditMovement.CounterAccount {
    switch self {
    case .purchase: .sales
    case .refund, .refundReversed: .refunds
    case .shortfall, .shortfallReversed: .shortfall
    case .spend: .spending
    case .grant: .grants
    }
  }
}

extension CreditMovement.CounterAccount: SQLValueConvertible {}

/// A customer's balance in one unit.
public struct CreditBalance: Hashable, Codable, Sendable {
  public let unit: CreditUnit
  /// Negative if the customer has a debt.
  public let balance: Int64
  /// The number of movements of the account.
  public let movements: Int64
  public let isSpendingBlocked: Bool
}

/// A customer's balances.
public struct CreditBalances: Hashable, Codable, Sendable {
  /// The incarnation of the ledger. Movement numbers of different incarnations cannot be compared (``Ledger/incarnation()``).
  public let incarnation: LedgerIncarnation
  /// One balance for each unit that the customer ever had credits of.
  public let credits: [CreditBalance]
}

/// The result of a spend.
public struct CreditSpend: Hashable, Sendable {
  /// The incarnation of the ledger. Movement numbers of different incarnations cannot be compared (``Ledger/incarnation()``).
  public let incarnation: LedgerIncarnation
  public let movement: CreditMovement
}
