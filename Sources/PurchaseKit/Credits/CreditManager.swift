import StoreKit
import StoreModel

extension Notification.Name {
  /// Posted by ``CreditManager`` when the balance has changed, on any thread.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let CreditManagerBalanceChangedNotification = Notification.Name(
    "CreditManagerBalanceChangedNotification")
}

/// Grants the credits of consumable products, and spends them.
public final class CreditManager: ProductDelivery {
  private let store: any CreditStore
  private let creditsForProduct: [String: Int]
  private let notifications: NotificationCenter
  private let clock: any MachineClock
  private let disk = DiskQueue("credits")

  /// - Parameters:
  ///   - store: stores the credits.
  ///   - creditsForProduct: the number of credits that each product gives; at least 1 each.
  ///   - notifications: posts the notifications.
  ///   - clock: provides the dates of the spends.
  public init(
    store: any CreditStore, creditsForProduct: [String: Int], notifications: NotificationCenter = .default,
    clock: any MachineClock = SystemClock()
  ) {
    self.store = store
    self.creditsForProduct = creditsForProduct
    self.notifications = notifications
    self.clock = clock
  }

  /// The credits that can be spent.
  ///
  /// - Throws: ``CreditError``.
  public var balance: Int { get throws { try store.balance() } }

  /// When ``balance`` was read from the server that stores the credits; nil if they are stored on this device.
  public var balanceDate: Date? { get throws { try store.balanceDate() } }

  /// Reads the balance from the server that stores the credits.
  public func refresh() async throws {
    try await store.refresh()
    notifications.post(name: .CreditManagerBalanceChangedNotification, object: self)
  }

  public func handles(_ productIdentifier: String) -> Bool { creditsForProduct[productIdentifier] != nil }

  /// While the credits are frozen, no credits are sold, because they could not be granted.
  public func obstacle(to productIdentifier: String) -> String? {
    store.freeze().map { "Credits are frozen because \($0.reason)" }
  }

  /// Grants the credits of a purchase, once per transaction: the product's credits times the quantity, minus the share
  /// that was refunded before.
  public func deliver(_ purchase: PaidPurchase) async throws {
    guard let credits = creditsForProduct[purchase.productIdentifier] else {
      throw InAppPurchaseError.unknownProduct(purchase.productIdentifier)
    }
    let (total, overflow) = credits.multipliedReportingOverflow(by: purchase.quantity)
    guard !overflow else { throw CreditError.amountOutOfRange(purchase.quantity) }
    let grant = try await grant(purchase.remaining(of: total), for: purchase)
    if grant.isNew { notifications.post(name: .CreditManagerBalanceChangedNotification, object: self) }
  }

  /// Spends credits, all or nothing.
  ///
  /// - Parameters:
  ///   - credits: at least 1.
  ///   - key: identifies this spend. An app that may repeat the spend after a crash uses the same key.
  /// - Returns: the balance after the spend.
  /// - Throws: ``CreditError/insufficient(balance:requested:)`` if the balance is too low; nothing is changed then.
  @discardableResult
  public func spend(_ credits: Int, key: UUID = UUID()) async throws -> Int {
    let balance = try await spend(credits, key: key, date: clock.now.date)
    notifications.post(name: .CreditManagerBalanceChangedNotification, object: self)
    return balance
  }

  // MARK: The store

  private func grant(_ total: Int, for purchase: PaidPurchase) async throws -> CreditGrant {
    guard let blocking = store as? any BlockingCreditStore else { return try await store.grant(total, for: purchase) }
    return try await disk.run {
      try blocking.grant(
        total, for: purchase.grantIdentifier, productIdentifier: purchase.productIdentifier, date: purchase.date)
    }
  }

  private func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int {
    guard let blocking = store as? any BlockingCreditStore else {
      return try await store.spend(credits, key: key, date: date)
    }
    return try await disk.run { try blocking.spend(credits, key: key, date: date) }
  }
}
