import StoreModel

/// One change of a credit account. It is never changed; what was wrong is put right by another.
public struct CreditMovement: Hashable, Codable, Sendable {
  /// 1 for the first of the account, without gaps.
  public let sequence: Int64
  /// More than 0 for what the customer got; never 0.
  public let amount: Int64
  /// What there was after it.
  public let balance: Int64
  public let counterAccount: CounterAccount
  public let cause: Cause
  /// Names the cause among those of its kind; see Documentation/purchase-ledger.md, "Credits".
  public let key: String
  public let date: StoreDate

  /// Why credits moved.
  public enum Cause: String, CaseIterable, Hashable, Codable, Sendable {
    case purchase
    case refund
    case refundReversed
    /// What a refund could not take, because it was spent.
    case shortfall
    case shortfallReversed
    case spend
    /// An operator's, in either direction.
    case grant
  }

  /// The app's own accounts, at the other end of each movement.
  public enum CounterAccount: String, CaseIterable, Hashable, Codable, Sendable {
    case sales
    case refunds
    case shortfall
    case spending
    case grants
  }
}

extension CreditMovement.Cause: SQLValueConvertible {
  /// Where the credits come from, or go to.
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

/// What a customer has of one unit.
public struct CreditBalance: Hashable, Codable, Sendable {
  public let unit: CreditUnit
  /// Below zero for a debt.
  public let balance: Int64
  /// How many movements there were.
  public let movements: Int64
  public let isSpendingBlocked: Bool
}

/// A customer's balances.
public struct CreditBalances: Hashable, Codable, Sendable {
  /// Only numbers of the same incarnation can be compared (``Ledger/incarnation()``).
  public let incarnation: LedgerIncarnation
  /// Of every unit that the customer ever had any of.
  public let credits: [CreditBalance]
}

/// A spend that was made, now or before.
public struct CreditSpend: Hashable, Sendable {
  /// Only numbers of the same incarnation can be compared (``Ledger/incarnation()``).
  public let incarnation: LedgerIncarnation
  public let movement: CreditMovement
}
