import Foundation

/// Stores credits. A grant is recorded together with its transaction, so that a crash can neither lose nor repeat it.
public protocol CreditStore: Sendable {
  /// Returns the credits that can be spent; never negative.
  ///
  /// - Throws: ``CreditError/frozen(_:)`` while credits cannot be used. `grant` and `spend` throw it as well.
  func balance() throws -> Int

  /// Returns why credits can neither be granted nor spent; nil if they can.
  func freeze() -> CreditFreeze?

  /// Returns the date at which ``balance()`` was read from the server that stores the credits; nil if they are stored on
  /// this device.
  func balanceDate() throws -> Date?

  /// Reads the balance from the server that stores the credits. Does nothing if they are stored on this device.
  func refresh() async throws

  /// Adds the credits of a purchase, unless they were added before.
  ///
  /// - Parameters:
  ///   - credits: at least 1.
  ///   - purchase: the paid purchase. Each ``PaidPurchase/grantIdentifier`` adds its credits once.
  /// - Returns: whether the credits were added now, and the balance.
  func grant(_ credits: Int, for purchase: PaidPurchase) async throws -> CreditGrant

  /// Spends credits, all or nothing.
  ///
  /// - Parameters:
  ///   - credits: at least 1.
  ///   - key: identifies this spend. Repeating a spend with the same key and amount spends once.
  /// - Returns: the balance after the spend.
  /// - Throws: ``CreditError/insufficient(balance:requested:)`` if the balance is too low; nothing is changed then.
  func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int
}

extension CreditStore {
  public func freeze() -> CreditFreeze? { nil }
  public func balanceDate() throws -> Date? { nil }
  public func refresh() async throws {}
}

/// A credit store on the device's disk. Its functions block the calling thread.
protocol BlockingCreditStore: CreditStore {
  /// - Parameter transactionIdentifier: the paid transaction. Each transaction adds its credits once.
  func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) throws -> CreditGrant
  func spend(_ credits: Int, key: UUID, date: Date) throws -> Int
}

/// The result of a grant.
public struct CreditGrant: Hashable, Sendable {
  /// Whether the credits were added now; false if the transaction had added them before.
  public let isNew: Bool
  public let balance: Int

  public init(isNew: Bool, balance: Int) {
    self.isNew = isNew
    self.balance = balance
  }
}
