import Foundation
import PurchaseKit

/// A screen of credits, without its looks: products to buy again and again, a balance, and spending. The sample has two: monkey
/// credits, whose books are in the vault, and pages to print, whose books the developer's server keeps.
public final class ConsumablesModel: ProductScreen, @unchecked Sendable {
  private let credits: CreditManager
  private let unit: String

  /// - Parameters:
  ///   - productIdentifiers: in the order in which the screen shows them.
  ///   - unit: what is counted, in the customer's words.
  public init(
    manager: InAppPurchaseManager, credits: CreditManager,
    productIdentifiers: [String] = [SampleCatalog.fiveCredits, SampleCatalog.tenCredits],
    unit: String = "monkey credits", notifications: NotificationCenter = .default
  ) {
    self.credits = credits
    self.unit = unit
    super.init(productIdentifiers: productIdentifiers, manager: manager, notifications: notifications)
  }

  public var balanceText: String {
    get throws { "\(try credits.balance) \(unit)" }
  }

  /// Spends credits; where the balance does not cover it, says so and spends nothing.
  ///
  /// - Parameter key: names this spend, for whoever may have to ask again.
  public func spend(_ amount: Int, key: UUID = UUID()) async throws {
    do {
      try await credits.spend(amount, key: key)
      show(nil)
    } catch let error as CreditError {
      show(error.purchaseAlert)
    }
  }
}
