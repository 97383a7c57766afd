import Foundation

/// Why credits were not changed.
public enum CreditError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  case insufficient(balance: Int, requested: Int)
  case amountOutOfRange(Int)
  /// The key was used before for another amount.
  case keyReused(UUID)
  /// The vault noticed that its credits were tampered with, or lost. They stay so until a backup is imported, or the app
  /// starts them anew.
  case frozen(CreditFreeze)
  /// Credits that can be used are not started anew.
  case notFrozen
  /// The server keeps the books, and was not asked yet.
  case balanceUnknown
  /// The server does not let anything be spent: credits were refunded after they had been spent.
  case spendingBlocked
  /// The server did not answer: it may have been spent, or not. The spend is on record, and is asked for again with its key.
  case outcomeUnknown(key: UUID, reason: String)
  /// The server does not know the customer who began the spend. It is on record still.
  case otherCustomer(key: UUID)

  public var description: String {
    switch self {
    case .insufficient(let balance, let requested):
      "\(requested) credits cannot be spent: there are \(balance). Buy more first."
    case .amountOutOfRange(let amount):
      "\(amount) is not an amount of credits; use 1 or more."
    case .keyReused(let key):
      "The key \(key) was used for another spend. Use a new one for each."
    case .frozen(let freeze):
      "The credits are frozen because \(freeze.reason). Import a backup of them, or have them started anew."
    case .notFrozen:
      "The credits can be used; starting them anew would lose them."
    case .balanceUnknown:
      "Your credits are not known yet. Try again when there is a network."
    case .spendingBlocked:
      "Credits cannot be spent at the moment, because some were refunded after they had been spent. Contact us."
    case .outcomeUnknown(_, let reason):
      "The server did not answer, so it is not known yet whether the credits were spent. (\(reason))"
    case .otherCustomer:
      "These credits were being spent by another customer. Sign in as they did."
    }
  }

  public var errorDescription: String? { description }
}
