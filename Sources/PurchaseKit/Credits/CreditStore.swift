import Foundation

/// Where credits are kept. A grant and the transaction behind it are one commit, so that a crash can neither lose a
/// grant nor repeat it.
public protocol CreditStore: Sendable {
  /// What can be spent; never negative.
  ///
  /// - Throws: ``CreditError/frozen(_:)``, as the other functions do, where credits cannot be used for now.
  func balance() throws -> Int

  /// Why credits can neither be given nor spent; nil where they can.
  func freeze() -> CreditFreeze?

  /// When ``balance()`` was read from whoever keeps the books; nil where they are kept here, and it is always true.
  func balanceDate() throws -> Date?

  /// Reads the balance anew from whoever keeps the books; nothing to do where they are kept here.
  func refresh() async throws

  /// Adds credits for a transaction, unless that transaction gave some before.
  ///
  /// - Parameters:
  ///   - credits: at least 1.
  ///   - transactionIdentifier: the paid transaction; the grant is made once for each.
  /// - Returns: whether it was made now, and the balance after it.
  func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) async throws -> CreditGrant

  /// Takes credits away, all or nothing.
  ///
  /// - Parameters:
  ///   - credits: at least 1.
  ///   - key: names this spend; asked again with the same key and amount, it is not spent again.
  /// - Returns: the balance after it.
  /// - Throws: ``CreditError/insufficient(balance:requested:)`` and changes nothing where the balance does not cover it.
  func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int
}

extension CreditStore {
  public func freeze() -> CreditFreeze? { nil }
  public func balanceDate() throws -> Date? { nil }
  public func refresh() async throws {}
}

/// A credit store that is no further away than the disk, for which whoever asks waits.
protocol BlockingCreditStore: CreditStore {
  func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) throws -> CreditGrant
  func spend(_ credits: Int, key: UUID, date: Date) throws -> Int
}

/// The answer to a grant.
public struct CreditGrant: Hashable, Sendable {
  /// False: the transaction had given its credits before.
  public let isNew: Bool
  public let balance: Int

  public init(isNew: Bool, balance: Int) {
    self.isNew = isNew
    self.balance = balance
  }
}

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
