import StoreModel

/// The purchases of an app whose stored proofs are to be verified again.
public enum ReverifiedPurchases: Hashable, Sendable {
  /// All purchases of a customer.
  case customer(CustomerID)
  /// The purchases of a product, of all customers.
  case product(ProductID)
  /// One purchase, by the claim's id: the transaction id of a consumable, the original transaction id of other products.
  case transaction(TransactionID)

  /// The subject of the audit log entry.
  var subject: String {
    switch self {
    case .customer(let customer): "\(customer)"
    case .product(let product): "\(product)"
    case .transaction(let id): "\(id)"
    }
  }

  /// The SQL condition that selects the claims, and the value of its parameter `$2`.
  var condition: (sql: String, value: any SQLValueConvertible) {
    switch self {
    case .customer(let customer): ("customer = $2", customer)
    case .product(let product): ("product = $2", product)
    // All environments are listed, so that the primary key's index is used.
    case .transaction(let id):
      (
        "environment IN (\(StoreEnvironment.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))) AND id = $2",
        id
      )
    }
  }
}

/// A claimed purchase, and its stored proof.
public struct ReverifiedPurchase: Hashable, Sendable {
  public let key: PurchaseKey
  public let customer: CustomerID
  /// The digest of the stored proof; nil if no proof is stored.
  let digest: String?

  /// Identifies the stored proof, which several purchases of a customer may share; nil if no proof is stored.
  public var proofID: String? { digest.map { "\(customer) \(key.environment) \($0)" } }
}
