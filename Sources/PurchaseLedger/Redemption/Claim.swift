import StoreModel

/// That a purchase is a customer's.
struct Claim: Hashable, Sendable {
  let key: PurchaseKey
  let customer: CustomerID
  let product: ProductID
  let type: ProductType
  let quantity: Int64
  /// The transaction whose statements decide whether it stands: of a subscription, the newest period's.
  var transactionID: TransactionID
  let ownership: OwnershipType
  /// Of the original.
  let purchased: StoreDate
  let claimed: StoreDate
  /// Nil for ever.
  var accessUntil: StoreDate?
  /// What it gave; nil for a claim that gives no credits.
  let unit: CreditUnit?
  let given: Int64
  /// What refunds have taken back of it.
  var taken: Int64 = 0
  /// What of that had been spent, and was written off.
  var shortfall: Int64 = 0

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

  /// Whose statements decide whether it stands. What is owned for ever is one purchase under whatever id it comes; of a
  /// subscription, each period is refunded by itself.
  func statementID(_ type: ProductType) -> TransactionID {
    type == .nonConsumable ? originalTransactionID : transactionID
  }
}
