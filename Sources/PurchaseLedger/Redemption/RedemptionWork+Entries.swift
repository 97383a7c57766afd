import StoreModel

/// A purchase of a proof that is being claimed.
struct RedemptionEntry {
  /// The index of the result in ``Redemption/purchases``.
  let place: Int
  let requestedID: TransactionID
  let purchase: ProvenPurchase
  /// For an auto-renewable subscription, all its periods in the proof; otherwise only the purchase.
  let periods: [ProvenPurchase]
  let product: RedeemableProduct
  /// The key of the claim. The revocation status is stored under the same key; for an auto-renewable subscription, one
  /// status is stored for each period, under the period's transaction id.
  let key: PurchaseKey
}

extension RedemptionWork {
  /// Returns the purchases that can be claimed. Adds a refusal to ``outcomes`` for each other item of the request.
  mutating func entries(for request: RedemptionRequest) throws -> [RedemptionEntry] {
    switch request {
    case .purchases(let items):
      return try items.compactMap { item in
        try entry(for: purchase(item.transactionID), requestedID: item.transactionID, product: item.productID)
      }
    case .everythingOwned:
      var same: [TransactionID: [ProvenPurchase]] = [:]
      var order: [TransactionID] = []
      for purchase in proof.purchases where try type(of: purchase)?.lasts ?? true {
        let id = purchase.originalTransactionID
        if same[id] == nil { order.append(id) }
        same[id, default: []].append(purchase)
      }
      return try order.compactMap { id in
        guard let purchase = same[id]?.newest else { return nil }
        return try entry(for: purchase, requestedID: purchase.transactionID)
      }
    }
  }

  mutating func type(of purchase: ProvenPurchase) throws -> ProductType? {
    try purchase.type ?? products.product(purchase.productID)?.type
  }

  /// Returns the purchase with this transaction id, or the newest one with this original transaction id.
  func purchase(_ id: TransactionID) -> ProvenPurchase? {
    if let exact = purchases[id] { return exact }
    return proof.purchases.filter { $0.originalTransactionID == id }.newest
  }

  /// Returns the entry of a purchase that may be claimed. Otherwise answers with the refusal, and returns nil.
  private mutating func entry(
    for purchase: ProvenPurchase?, requestedID: TransactionID, product requested: ProductID? = nil
  ) throws -> RedemptionEntry? {
    let product = try purchase.flatMap { try products.product($0.productID) }
    if let refusal = RedemptionRefusal(
      of: purchase, requested: requested, product, in: proof.environment, isEnvironmentAllowed: isEnvironmentAllowed)
    {
      answer(requestedID, purchase?.productID, .refused(refusal))
      return nil
    }
    guard let purchase, let product else { return nil }
    let isRenewable = product.type == .autoRenewableSubscription
    let entry = RedemptionEntry(
      place: outcomes.count, requestedID: requestedID, purchase: purchase,
      periods: isRenewable
        ? proof.purchases.filter { $0.originalTransactionID == purchase.originalTransactionID } : [purchase],
      product: product,
      key: proof.claimKey(of: purchase, product.type))
    // A placeholder for the outcome, so that the answer keeps the order of the request.
    answer(requestedID, purchase.productID, .refused(.notInProof))
    return entry
  }

  private mutating func answer(
    _ requestedID: TransactionID, _ product: ProductID?, _ outcome: RedeemedPurchase.Outcome
  ) {
    outcomes.append(RedeemedPurchase(transactionID: requestedID, productID: product, outcome: outcome))
  }
}

extension [ProvenPurchase] {
  /// The newest of several purchases with the same original transaction id. Unrevoked purchases take precedence over
  /// revoked ones. Within each kind, the latest purchase date decides.
  var newest: ProvenPurchase? {
    dropFirst().reduce(first) { newest, next in newest.map { next.isNewer(than: $0) ? next : $0 } }
  }
}

extension ProvenPurchase {
  fileprivate func isNewer(than other: ProvenPurchase) -> Bool {
    if (revocation == nil) != (other.revocation == nil) { return revocation == nil }
    return (purchaseDate, expiresDate ?? purchaseDate) > (other.purchaseDate, other.expiresDate ?? other.purchaseDate)
  }
}
