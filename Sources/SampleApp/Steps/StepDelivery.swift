import PurchaseKit

/// Gives what another gives, and tells how that went.
final class StepDelivery: ProductDelivery {
  private let base: any ProductDelivery
  private let steps: StepTeller

  init(base: any ProductDelivery, steps: StepTeller) {
    self.base = base
    self.steps = steps
  }

  func handles(_ productIdentifier: String) -> Bool { base.handles(productIdentifier) }

  func obstacle(to productIdentifier: String) -> String? { base.obstacle(to: productIdentifier) }

  func deliver(_ purchase: PaidPurchase) async throws {
    let (product, transaction) = (purchase.productIdentifier, purchase.transactionIdentifier)
    do {
      try await base.deliver(purchase)
      steps(.granted, product: product, transaction: transaction)
    } catch let refused as RefusedPurchase {
      steps(.refused, product: product, transaction: transaction, words: refused.description)
      throw refused
    } catch {
      steps(.kept, product: product, transaction: transaction, words: "\(error)")
      throw error
    }
  }

  func revoke(productIdentifiers: Set<String>) async throws {
    try await base.revoke(productIdentifiers: productIdentifiers)
  }

  func restoreFinished() throws { try base.restoreFinished() }
}
