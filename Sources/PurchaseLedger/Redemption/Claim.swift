import StoreModel

/// A customer's ownership of a purchase, and what the purchase gave.
struct Claim: Hashable, Sendable {
  let key: PurchaseKey
  var customer: CustomerID
  /// For a subscription, the plan of the current period.
  var product: ProductID
  let type: ProductType
  let quantity: Int64
  let ownership: OwnershipType
  /// The date of the original purchase.
  let purchased: StoreDate
  let claimed: StoreDate
  /// When access expires; nil for never. For an auto-renewable subscription, the expiration date of the current period: a grace
  /// period is not included (``LedgerTransaction/accessEnd(of:)``).
  var accessUntil: StoreDate?
  /// For a non-renewing subscription, the access days in the catalog at the time of the claim.
  let accessDays: Int64?
  /// The unit of the credits that it gave; nil if it gave none.
  let unit: CreditUnit?
  let given: Int64
  /// The credits of it that were refunded.
  var taken: Int64 = 0
  /// The refunded credits that had been spent, and were written off.
  var shortfall: Int64 = 0
  /// Whether its shortfall blocks spending.
  var blocks = false
  /// Whether the customer has shown a proof of it that was issued for their device.
  var isByDevice = false
  /// The digest of the stored proof that it was last redeemed with, if there is one.
  var proof: String?

  var account: CreditAccount? {
    unit.map { CreditAccount(customer: customer, app: key.app, unit: $0) }
  }

  /// The key of its credit movements, without the date that refunds add.
  var causeKey: String { "\(key.environment.lowercaseName)/\(key.id)" }

  /// The source of its entitlement and deliveries.
  var source: String { key.id.rawValue }
}

extension ProductType {
  /// Whether purchases of this type give an entitlement: all but consumables.
  var lasts: Bool { self != .consumable }
}

extension ProvenPurchase {
  /// The id of the claim on this purchase (rule H2 of Documentation/purchase-ledger.md).
  func claimID(_ type: ProductType) -> TransactionID { type.lasts ? originalTransactionID : transactionID }
}
