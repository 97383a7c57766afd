import StoreKit
import StoreModel

extension Notification.Name {
  /// Posted by ``CreditManager`` when the balance has changed, on whatever thread changed it.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let CreditManagerBalanceChangedNotification = Notification.Name(
    "CreditManagerBalanceChangedNotification")
}

/// Gives credits for the consumables that sell them, and lets them be spent.
public final class CreditManager: ProductDelivery {
  private let store: any CreditStore
  private let creditsForProduct: [String: Int]
  private let notifications: NotificationCenter
  private let clock: any MachineClock
  private let disk = DiskQueue("credits")

  /// - Parameters:
  ///   - store: where the credits are.
  ///   - creditsForProduct: how many credits one of a product gives; at least 1 each.
  ///   - notifications: where changes are posted.
  ///   - clock: dates the spends.
  public init(
    store: any CreditStore, creditsForProduct: [String: Int], notifications: NotificationCenter = .default,
    clock: any MachineClock = SystemClock()
  ) {
    self.store = store
    self.creditsForProduct = creditsForProduct
    self.notifications = notifications
    self.clock = clock
  }

  /// What can be spent.
  public var balance: Int { get throws { try store.balance() } }

  /// When ``balance`` was read from the server that keeps the books; nil where they are kept here.
  public var balanceDate: Date? { get throws { try store.balanceDate() } }

  /// Reads the balance anew from the server that keeps the books.
  public func refresh() async throws {
    try await store.refresh()
    notifications.post(name: .CreditManagerBalanceChangedNotification, object: self)
  }

  public func handles(_ productIdentifier: String) -> Bool { creditsForProduct[productIdentifier] != nil }

  /// Frozen credits are not sold: they could not be given.
  public func obstacle(to productIdentifier: String) -> String? {
    store.freeze().map { "Credits are frozen because \($0.reason)" }
  }

  /// Gives the credits of a purchase: those of one, times the quantity, less what was refunded before. Once for each
  /// transaction.
  public func deliver(_ purchase: PaidPurchase) async throws {
    guard let credits = creditsForProduct[purchase.productIdentifier] else {
      throw InAppPurchaseError.unknownProduct(purchase.productIdentifier)
    }
    let (total, overflow) = credits.multipliedReportingOverflow(by: purchase.quantity)
    guard !overflow else { throw CreditError.amountOutOfRange(purchase.quantity) }
    // Consumables are not restored. Should one be all the same, it was given under the id it was bought by.
    let identifier = purchase.isRestored ? purchase.originalTransactionIdentifier : purchase.transactionIdentifier
    let grant = try await grant(purchase.remaining(of: total), for: identifier, purchase)
    if grant.isNew { notifications.post(name: .CreditManagerBalanceChangedNotification, object: self) }
  }

  /// Spends credits, all or nothing.
  ///
  /// - Parameters:
  ///   - credits: at least 1.
  ///   - key: names this spend, for an app that may ask again after a crash.
  /// - Returns: the balance after it.
  /// - Throws: ``CreditError/insufficient(balance:requested:)`` where the balance does not cover it; nothing is changed.
  @discardableResult
  public func spend(_ credits: Int, key: UUID = UUID()) async throws -> Int {
    let balance = try await spend(credits, key: key, date: clock.now.date)
    notifications.post(name: .CreditManagerBalanceChangedNotification, object: self)
    return balance
  }

  // MARK: The store

  private func grant(
    _ total: Int, for identifier: String, _ purchase: PaidPurchase
  ) async throws -> CreditGrant {
    guard let blocking = store as? any BlockingCreditStore else {
      return try await store.grant(
        total, for: identifier, productIdentifier: purchase.productIdentifier, date: purchase.date)
    }
    return try await disk.run {
      try blocking.grant(
        total, for: identifier, productIdentifier: purchase.productIdentifier, date: purchase.date)
    }
  }

  private func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int {
    guard let blocking = store as? any BlockingCreditStore else {
      return try await store.spend(credits, key: key, date: date)
    }
    return try await disk.run { try blocking.spend(credits, key: key, date: date) }
  }
}
