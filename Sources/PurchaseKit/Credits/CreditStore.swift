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
