import StoreModel

/// A customer's ownership of a purchase, and what the purchase gave.
struct Claim: Hashable, Sendable {
  let key: PurchaseKey
  var customer: CustomerID
  /// The product of the purchase; for a subscription, the plan of the current period.
  var product: ProductID
  let type: ProductType
  let quantity: Int64
  var ownership: OwnershipType
  /// The date of the original purchase.
  let purchased: StoreDate
  let claimed: StoreDate
  /// When access expires; nil for never. For an auto-renewable subscription, the expiration date of the current period: a grace
  /// period is not included (``LedgerTransaction/accessEnd(of:)``).
  var accessUntil: StoreDate?
  /// The access days of a non-renewing subscription: those in the catalog at the time of the claim, times the quantity. Nil for
  /// other types.
  let accessDays: Int64?
  /// The unit of the credits that the purchase gave; nil if it gave no credits.
  let unit: CreditUnit?
  let given: Int64
  /// What the customer has paid; nil if no signed data has stated it yet. Always nil for an auto-renewable subscription, whose periods
  /// have prices.
  var price: PurchasePrice?
  /// The part of the given credits that was refunded.
  var taken: Int64 = 0
  /// The refunded credits that had already been spent, and were therefore written off.
  var shortfall: Int64 = 0
  /// Whether this shortfall blocks spending.
  var blocks = false
  /// Whether the customer has shown a proof of the purchase that was issued for their `identifierForVendor` after they
  /// registered. A later installation can be joined only to such a customer.
  var isByDevice = false
  /// The digest of the stored proof with which the claim was last redeemed; nil if no proof is stored.
  var proof: String?

  /// Takes over the ownership type that a proof states. The proof with which the purchase was claimed may not have contained it.
  ///
  /// - Returns: whether the claim has changed.
  mutating func adopt(_ stated: OwnershipType?) -> Bool {
    guard let stated, stated != ownership else { return false }
    ownership = stated
    return true
  }

  /// Takes over the price that a proof states, if none was stated before. A price that was stated never changes.
  ///
  /// - Returns: whether the claim has changed.
  mutating func adopt(_ stated: PurchasePrice?) -> Bool {
    guard type != .autoRenewableSubscription, price == nil, let stated else { return false }
    price = stated
    return true
  }

  var account: CreditAccount? {
    unit.map { CreditAccount(customer: customer, app: key.app, unit: $0) }
  }

  /// The key of the claim's credit movements. Movements of a refund append a date to it.
  var causeKey: String { "\(key.environment.lowercaseName)/\(key.id)" }

  /// The source of the claim's entitlement and deliveries.
  var source: String { key.id.rawValue }
}

extension ProductType {
  /// Whether purchases of this type give an entitlement: all but consumables.
  var lasts: Bool { self != .consumable }
}

extension VerifiedProof {
  /// The key of the claim on a purchase of this proof (H2; Documentation/purchase-ledger.md, "A claim").
  func claimKey(of purchase: ProvenPurchase, _ type: ProductType) -> PurchaseKey {
    PurchaseKey(
      app: app, environment: environment, id: type.lasts ? purchase.originalTransactionID : purchase.transactionID)
  }
}
