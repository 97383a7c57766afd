import StoreModel

/// That a purchase is a customer's.
struct Claim: Hashable, Sendable {
  let key: PurchaseKey
  var customer: CustomerID
  /// Of a subscription, the plan of the period that counts.
  var product: ProductID
  let type: ProductType
  let quantity: Int64
  let ownership: OwnershipType
  /// Of the original.
  let purchased: StoreDate
  let claimed: StoreDate
  /// Nil for ever.
  var accessUntil: StoreDate?
  /// Of a non-renewing subscription, what the product list said when it was claimed.
  let accessDays: Int64?
  /// What it gave; nil for a claim that gives no credits.
  let unit: CreditUnit?
  let given: Int64
  /// What refunds have taken back of it.
  var taken: Int64 = 0
  /// What of that had been spent, and was written off.
  var shortfall: Int64 = 0
  /// Whether its shortfall keeps its customer from spending.
  var blocks = false
  /// Whether the customer has shown a proof of it that was issued for their device.
  var isByDevice = false
  /// The digest of the newest proof that it was redeemed with, if that is kept.
  var proof: String?

  var account: CreditAccount? {
    unit.map { CreditAccount(customer: customer, app: key.app, unit: $0) }
  }

  /// What its credits' movements are called.
  var causeKey: String { "\(key.environment.lowercaseName)/\(key.id)" }

  /// What its entitlement and deliveries come from.
  var source: String { key.id.rawValue }
}

extension ProductType {
  /// Whether an entitlement comes of it.
  var lasts: Bool { self != .consumable }
}

extension ProvenPurchase {
  /// What a claim on it is keyed by (H2).
  func claimID(_ type: ProductType) -> TransactionID { type.lasts ? originalTransactionID : transactionID }
}
