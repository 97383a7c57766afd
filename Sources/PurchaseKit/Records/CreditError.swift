import Foundation
import StoreModel

/// Thrown when credits cannot be read or changed.
public enum CreditError: DescribedError, Hashable, Sendable {
  case insufficient(balance: Int, requested: Int)
  case amountOutOfRange(Int)
  /// The key was used before for a spend of another amount.
  case keyReused(UUID)
  /// The vault found that its credits were changed or lost. They stay frozen until a backup is imported, or the app starts
  /// the credits again at zero. A ``LedgerCreditStore`` throws it, too; see ``LedgerCreditStore/freeze()``.
  case frozen(CreditFreeze)
  /// Only frozen credits can start again at zero.
  case notFrozen
  /// The customer has not agreed to this loss: it is more than nothing, and not the one that the app passed. Nothing was
  /// changed.
  case lossNotAccepted(CreditLoss)
  /// The server stores the credits, and the balance was not requested yet.
  case balanceUnknown
  /// The server refuses all spends of this customer, because credits were refunded after they had been spent.
  case spendingBlocked
  /// The server has not reported whether the credits were spent. The spend is recorded, and can be repeated with its key.
  case outcomeUnknown(key: UUID, reason: String)
  /// A customer other than the current one began the spend. The spend stays recorded.
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
      "The credits are frozen because \(freeze.reason). \(freeze.reason.wayOut), or reset them."
    case .notFrozen:
      "The credits can be used; a reset would lose them."
    case .lossNotAccepted(let loss):
      "\(loss.customerMessage(CustomerNames())) Ask the customer, and pass this loss again."
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
}

extension CreditError: CustomerFacingError {
  public func customerMessage(_ names: CustomerNames) -> String {
    let credits = names.credits
    switch self {
    case .insufficient(let balance, let requested):
      return "You have \(balance) \(credits), and \(requested) are needed. Buy more first."
    case .amountOutOfRange: return "Choose 1 or more \(credits)."
    case .keyReused: return "The \(credits) were not spent. Try again."
    case .frozen(let freeze):
      return "Your \(credits) are frozen because \(freeze.reason). \(freeze.reason.wayOut), or start again at zero."
    case .notFrozen: return "Your \(credits) can be used. Starting again at zero would lose them."
    case .lossNotAccepted(let loss): return loss.customerMessage(names)
    case .balanceUnknown: return "Your \(credits) are not known yet. Try again when there is a network."
    case .spendingBlocked:
      return "Your \(credits) cannot be spent at the moment, because some were refunded after they had been spent. "
        + "Contact us."
    case .outcomeUnknown:
      return "The server did not answer, so it is not known yet whether the \(credits) were spent. The same \(credits) "
        + "are never spent twice."
    case .otherCustomer: return "Another customer began to spend these \(credits). Sign in as that customer."
    }
  }
}
