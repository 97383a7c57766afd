import Foundation
import StoreModel

/// A purchase of a proof that may be claimed: neither its product nor its environment is refused.
struct RedemptionEntry: Sendable {
  /// An item that gets the result of the purchase.
  struct Request: Hashable, Sendable {
    /// The place of the result (``RedemptionPlan/Item/place``).
    let place: Int
    let transactionID: TransactionID
    let productID: ProductID
  }

  let purchase: ProvenPurchase
  let product: RedeemableProduct
  /// The key of the claim. The revocation status is stored under the same key; for an auto-renewable subscription, one
  /// status is stored for each period, under the period's transaction id.
  let key: PurchaseKey
  /// At least one. Purchases with the same claim and the same `appAccountToken` have the same result.
  fileprivate(set) var requests: [Request]
}

/// An item that the proof lacks. It is refused, unless the claimant has claimed it before: a receipt lists a consumable only until
/// its transaction is finished. An app that did not receive the answer to its first request may repeat it with a receipt that no
/// longer lists the purchase.
struct MissingItem: Hashable, Sendable {
  let place: Int
  let requested: RedemptionRequest.Item
  let key: PurchaseKey
}

/// The items of a part, as far as the proof and the catalog decide on them.
struct RedemptionItems {
  /// In the order in which their rows are locked.
  private(set) var entries: [RedemptionEntry] = []
  private(set) var missing: [MissingItem] = []
  /// The results of the other items and, until their claims are read, of the missing ones, by place.
  private(set) var refused: [Int: RedeemedPurchase] = [:]

  /// - Parameters:
  ///   - products: the products of ``RedemptionPlan/Part/neededProducts`` that the catalog has.
  ///   - isEnvironmentAllowed: whether the claimant may redeem purchases of the proof's environment.
  init(
    _ part: RedemptionPlan.Part, of proof: VerifiedProof, _ products: [ProductID: RedeemableProduct],
    isEnvironmentAllowed: Bool
  ) {
    var found: [RedemptionEntry] = []
    for item in part.items {
      let purchase = item.purchase(products)
      guard let id = item.requested?.transactionID ?? purchase?.transactionID else { continue }
      let product = purchase.flatMap { products[$0.productID] }
      let refusal = RedemptionRefusal(
        of: purchase, requested: item.requested?.productID, product, in: proof.environment,
        isEnvironmentAllowed: isEnvironmentAllowed)
      if let refusal {
        refused[item.place] = RedeemedPurchase(
          transactionID: id, productID: purchase?.productID, outcome: .refused(refusal))
      } else if let purchase, let product {
        found.append(
          RedemptionEntry(
            purchase: purchase, product: product, key: proof.claimKey(of: purchase, product.type),
            requests: [
              RedemptionEntry.Request(place: item.place, transactionID: id, productID: purchase.productID)
            ]))
      }
      if purchase == nil, let requested = item.requested {
        let key = PurchaseKey(app: proof.app, environment: proof.environment, id: requested.transactionID)
        missing.append(MissingItem(place: item.place, requested: requested, key: key))
      }
    }
    found.sort { ($0.key.id, $0.requests[0].place) < ($1.key.id, $1.requests[0].place) }
    var places: [ResultKey: Int] = [:]
    for entry in found {
      let result = ResultKey(claim: entry.key, accountToken: entry.purchase.appAccountToken)
      if let place = places[result] {
        entries[place].requests += entry.requests
      } else {
        places[result] = entries.count
        entries.append(entry)
      }
    }
  }
}

/// Purchases with the same key have the same result.
private struct ResultKey: Hashable {
  let claim: PurchaseKey
  let accountToken: UUID?
}

extension RedemptionPlan.Item {
  /// The purchase that is redeemed; nil if the proof has none for this item. Consumables are not restored.
  fileprivate func purchase(_ products: [ProductID: RedeemableProduct]) -> ProvenPurchase? {
    guard requested == nil else { return candidates.first }
    return candidates.filter { ($0.type ?? products[$0.productID]?.type)?.lasts ?? true }.newest
  }
}

extension RedemptionPlan.Part {
  /// The products without which the items cannot be decided on.
  var neededProducts: Set<ProductID> {
    Set(
      items.flatMap { item in
        // Of several purchases, the types decide which is redeemed.
        item.requested == nil && item.candidates.contains { $0.type == nil }
          ? item.candidates.map(\.productID) : item.purchase([:]).map { [$0.productID] } ?? []
      })
  }
}
