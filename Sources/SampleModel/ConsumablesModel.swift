import Foundation
import PurchaseKit

/// The model of a screen that sells credits: products that can be bought repeatedly, a balance, and spending. The sample has
/// two such screens: monkey credits, stored in the vault, and pages to print, stored by the developer's server.
public final class ConsumablesModel: ProductScreen, @unchecked Sendable {
  private let credits: CreditManager
  private let unit: String

  /// - Parameters:
  ///   - productIdentifiers: the products, in the order in which the screen shows them.
  ///   - unit: the name of the credits that the customer sees, such as "pages".
  public init(
    manager: InAppPurchaseManager, credits: CreditManager,
    productIdentifiers: [String] = [SampleCatalog.fiveCredits, SampleCatalog.tenCredits],
    unit: String = SampleCatalog.creditsUnit, notifications: NotificationCenter = .default
  ) {
    self.credits = credits
    self.unit = unit
    super.init(productIdentifiers: productIdentifiers, manager: manager, notifications: notifications)
  }

  public var balanceText: String {
    get throws { "\(try credits.balance) \(unit)" }
  }

  /// Spends credits. An alert shows a ``CreditError``, such as a balance that is too low; other errors are thrown.
  ///
  /// - Parameter key: identifies this spend. Repeating a spend with the same key spends once.
  public func spend(_ amount: Int, key: UUID = UUID()) async throws {
    do {
      try await credits.spend(amount, key: key)
      show(nil)
    } catch let error as CreditError {
      show(error.purchaseAlert(names(credits: unit)))
    }
  }
}
