import Foundation
import StoreModel

/// The result of a redemption. Repeating the redemption gives the same result.
public struct Redemption: Hashable, Sendable {
  /// The customer who owns the goods. It differs from the claimant if the claimant was joined to an earlier customer.
  public let customer: CustomerID
  public let environment: StoreEnvironment
  /// The results in the order of the request or, for ``RedemptionRequest/everythingOwned``, in the order of the proof.
  public let purchases: [RedeemedPurchase]
  /// The claims' ids of purchases in the proof under whose id another purchase is recorded (``RedemptionRefusal/otherPurchase``),
  /// requested or not. Nothing of them was recorded.
  public let otherPurchases: [TransactionID]
}

/// The result for one purchase.
public struct RedeemedPurchase: Hashable, Sendable {
  /// The id in the request or, for ``RedemptionRequest/everythingOwned``, in the proof.
  public let transactionID: TransactionID
  /// The purchased product; nil if the proof has no such purchase.
  public let productID: ProductID?
  public let outcome: Outcome

  public enum Outcome: Hashable, Sendable {
    case given(GivenGoods)
    /// Nothing was given.
    case refused(RedemptionRefusal)
  }
}

/// The goods of a claim.
public struct GivenGoods: Hashable, Sendable {
  /// The claim's id: the transaction id for a consumable, otherwise the original transaction id.
  public let claim: TransactionID
  /// When the purchase was first redeemed.
  public let claimed: StoreDate
  /// Whether this redemption created the claim. The operator `==` ignores this property.
  public let isNew: Bool
  public let credits: LedgerProduct.Credits?
  public let entitlement: LedgerEntitlement?
  /// The id of the active delivery; nil if there is none, for example because the product has no files.
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
