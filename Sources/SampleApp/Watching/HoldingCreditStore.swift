import Foundation
import PurchaseKit

/// A credit store that waits forever after a grant is committed, instead of returning.
struct HoldingCreditStore: CreditStore {
  let base: any CreditStore
  let hold: @Sendable () -> Never

  func balance() throws -> Int { try base.balance() }

  func freeze() -> CreditFreeze? { base.freeze() }

  func balanceDate() throws -> Date? { try base.balanceDate() }

  func refresh() async throws { try await base.refresh() }

  func grant(_ credits: Int, for purchase: PaidPurchase) async throws -> CreditGrant {
    _ = try await base.grant(credits, for: purchase)
    hold()
  }

  func spend(_ credits: Int, key: UUID, date: Date) async throws -> Int {
    try await base.spend(credits, key: key, date: date)
  }
}
