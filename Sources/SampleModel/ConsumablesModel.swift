import Foundation
import PurchaseKit

/// The monkey credits screen, without its looks: two products to buy again and again, a balance, and spending.
public final class ConsumablesModel: ProductScreen, @unchecked Sendable {
  private let credits: CreditManager

  public init(manager: InAppPurchaseManager, credits: CreditManager, notifications: NotificationCenter = .default) {
    self.credits = credits
    super.init(
      productIdentifiers: [SampleCatalog.fiveCredits, SampleCatalog.tenCredits], manager: manager,
      notifications: notifications)
  }

  public var balanceText: String {
    get throws { "\(try credits.balance) monkey credits" }
  }

  /// Spends credits; where the balance does not cover it, says so and spends nothing.
  public func spend(_ amount: Int) async throws {
    do {
      try await credits.spend(amount)
      show(nil)
    } catch let error as CreditError {
      show(error.purchaseAlert)
    }
  }
}
