import Foundation
import StoreModel

/// What came of a redemption. Repeated, it is the same.
public struct Redemption: Hashable, Sendable {
  /// Whose the goods are. Another than who asked, where an installation joined the customer that an earlier one made.
  public let customer: CustomerID
  public let environment: StoreEnvironment
  /// In the order in which they were asked for; when everything was, in the order of the proof.
  public let purchases: [RedeemedPurchase]
}

/// What came of one purchase.
public struct RedeemedPurchase: Hashable, Sendable {
  /// As it was asked for.
  public let transactionID: TransactionID
  /// Nil where the proof has no such purchase.
  public let productID: ProductID?
  public let outcome: Outcome

  public enum Outcome: Hashable, Sendable {
    case given(GivenGoods)
    /// Nothing was given.
    case refused(RedemptionRefusal)
  }
}

/// What a claim gave.
public struct GivenGoods: Hashable, Sendable {
  /// The claim's id: the transaction's for a consumable, the original transaction's for what lasts.
  public let claim: TransactionID
  /// When it was first redeemed.
  public let claimed: StoreDate
  /// Whether that was now. Not part of what is answered, which is the same each time.
  public let isNew: Bool
  public let credits: LedgerProduct.Credits?
  public let entitlement: LedgerEntitlement?
  /// Nil for a product without files.
  public let delivery: UUID?

  public static func == (left: GivenGoods, right: GivenGoods) -> Bool {
    left.claim == right.claim && left.claimed == right.claimed && left.credits == right.credits
      && left.entitlement == right.entitlement && left.delivery == right.delivery
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(claim)
    hasher.combine(claimed)
  }
}

/// Why nothing was given for a purchase.
public enum RedemptionRefusal: Hashable, Sendable, CustomStringConvertible {
  /// The proof does not contain it.
  case notInProof
  /// It is of another product than the one that was asked for.
  case otherProduct(ProductID)
  /// The product is not on this ledger's list; it can be redeemed when it is.
  case unknownProduct(ProductID)
  /// The store says that the product is of another type than this ledger's list says.
  case otherType(ProductType)
  /// It was bought where nothing is paid, by somebody who is not to have that here.
  case environmentNotAllowed(StoreEnvironment)
  /// Its `appAccountToken` is another customer's.
  case namesAnotherCustomer
  case claimedByAnotherCustomer
  /// The store has taken it back.
  case refunded(StoreDate?)
  /// An operator has taken it back.
  case revoked

  /// A word for programs.
  public var code: String {
    switch self {
    case .notInProof: "notInProof"
    case .otherProduct: "otherProduct"
    case .unknownProduct: "unknownProduct"
    case .otherType: "otherType"
    case .environmentNotAllowed: "environmentNotAllowed"
    case .namesAnotherCustomer: "namesAnotherCustomer"
    case .claimedByAnotherCustomer: "claimedByAnotherCustomer"
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
      "The purchase was made in the environment \(environment.rawValue), which is for testers here. Ask whoever runs this server to list you."
    case .namesAnotherCustomer: "The purchase was made for another customer."
    case .claimedByAnotherCustomer: "The purchase was redeemed by another customer."
    case .refunded: "The purchase was refunded."
    case .revoked: "The purchase was taken back. Ask whoever runs this server."
    }
  }
}
