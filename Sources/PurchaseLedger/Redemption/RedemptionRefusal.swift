import StoreModel

/// The reason why nothing was given for a purchase, and the rules for each reason.
///
/// The rules for the purchase are checked first (``init(of:requested:_:in:isEnvironmentAllowed:)``), then whether another purchase
/// is recorded under its id (``RecordedPurchase``), then the rules for its owner (``ClaimDecision``), and then the rules for its revocation status (``init(by:of:isRevokedByOperator:)``).
public enum RedemptionRefusal: Hashable, Sendable, CustomStringConvertible {
  /// The proof does not contain the purchase.
  case notInProof
  /// The purchase is for a product other than the requested one.
  case otherProduct(ProductID)
  /// The product is not in the catalog. The purchase can be redeemed once the product is published.
  case unknownProduct(ProductID)
  /// The proof and the catalog give different types for the product.
  case otherType(ProductType)
  /// The purchase was made in the sandbox, where nothing is paid, and the claimant is not one of the allowed customers.
  case environmentNotAllowed(StoreEnvironment)
  /// The `appAccountToken` names another customer.
  case namesAnotherCustomer
  case claimedByAnotherCustomer
  /// Another purchase with the same transaction id was redeemed before: the product, the quantity or the purchase date differs.
  case otherPurchase
  /// The store has refunded or revoked the purchase.
  case refunded(StoreDate?)
  /// An operator has revoked the entitlement.
  case revoked

  /// The reason as an identifier for programs.
  public var code: String {
    switch self {
    case .notInProof: "notInProof"
    case .otherProduct: "otherProduct"
    case .unknownProduct: "unknownProduct"
    case .otherType: "otherType"
    case .environmentNotAllowed: "environmentNotAllowed"
    case .namesAnotherCustomer: "namesAnotherCustomer"
    case .claimedByAnotherCustomer: "claimedByAnotherCustomer"
    case .otherPurchase: "otherPurchase"
    case .refunded: "refunded"
    case .revoked: "revoked"
    }
  }

  public var description: String {
    switch self {
    case .notInProof: "The proof does not contain this purchase."
    case .otherProduct(let product): "The purchase is of another product, \(product)."
    case .unknownProduct(let product): "The product \(product) is not on sale here yet. Try again later."
    case .otherType(let type): "The store says that the product is \(type.rawValue), this server's list says otherwise."
    case .environmentNotAllowed(let environment):
      "The purchase was made in the environment \(environment.rawValue), which is for testers here. Ask the operator of this server to list you."
    case .namesAnotherCustomer: "The purchase was made for another customer."
    case .claimedByAnotherCustomer: "The purchase was redeemed by another customer."
    case .otherPurchase:
      "The store has sold another purchase with the same transaction id before. The App Store never does; an emulator does after its data folder was put back. Ask the operator of this server."
    case .refunded: "The purchase was refunded."
    case .revoked: "The purchase was revoked. Ask the operator of this server."
    }
  }
}

extension RedemptionRefusal {
  /// The refusal of a purchase because of its product or environment, or because the proof lacks it; nil if there is no
  /// such reason. Owner and revocation are checked later.
  ///
  /// - Parameters:
  ///   - purchase: the purchase in the proof; nil if the proof does not contain it.
  ///   - requested: the product that the request names, if it names one.
  ///   - product: the purchase's product in the ledger's catalog; nil if the catalog does not have it.
  ///   - environment: the proof's environment.
  ///   - isEnvironmentAllowed: whether the claimant may redeem purchases of that environment.
  init?(
    of purchase: ProvenPurchase?, requested: ProductID?, _ product: RedeemableProduct?,
    in environment: StoreEnvironment, isEnvironmentAllowed: Bool
  ) {
    guard let purchase else {
      self = .notInProof
      return
    }
    if let requested, requested != purchase.productID {
      self = .otherProduct(purchase.productID)
    } else if !isEnvironmentAllowed {
      self = .environmentNotAllowed(environment)
    } else if let product {
      guard let type = purchase.type, type != product.type else { return nil }
      self = .otherType(type)
    } else {
      self = .unknownProduct(purchase.productID)
    }
  }

  /// The refusal of a purchase that the claimant owns, or takes over: nil if the claimant gets its goods.
  ///
  /// - Parameters:
  ///   - status: the newest known revocation status.
  ///   - isRevokedByOperator: whether an operator has revoked the entitlement. Consumables have none.
  init?(by status: RevocationStatus, of type: ProductType, isRevokedByOperator: Bool) {
    if status.endsGoods(of: type) {
      self = .refunded(status.date)
    } else if type.lasts && isRevokedByOperator {
      self = .revoked
    } else {
      return nil
    }
  }
}
