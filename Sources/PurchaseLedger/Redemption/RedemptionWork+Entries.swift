import StoreModel

/// A purchase of a proof that is being claimed.
struct RedemptionEntry {
  /// The place of the result (``RedemptionPlan/Item/place``).
  let place: Int
  let requestedID: TransactionID
  let purchase: ProvenPurchase
  let product: RedeemableProduct
  /// The key of the claim. The revocation status is stored under the same key; for an auto-renewable subscription, one
  /// status is stored for each period, under the period's transaction id.
  let key: PurchaseKey
}

extension RedemptionWork {
  /// Returns the purchases that can be claimed. Adds a refusal to ``outcomes`` for each other item of the part.
  mutating func entries() throws -> [RedemptionEntry] {
    try part.items.compactMap { item in
      guard item.requested == nil else { return try entry(for: item, item.candidates.first) }
      // Consumables are not restored.
      let lasting = try item.candidates.filter { try type(of: $0)?.lasts ?? true }
      return try lasting.newest.flatMap { try entry(for: item, $0) }
    }
  }

  mutating func type(of purchase: ProvenPurchase) throws -> ProductType? {
    try purchase.type ?? products.product(purchase.productID)?.type
  }

  /// Returns the entry of a purchase that may be claimed. Otherwise answers with the refusal, and returns nil.
  private mutating func entry(
    for item: RedemptionPlan.Item, _ purchase: ProvenPurchase?
  ) throws -> RedemptionEntry? {
    let product = try purchase.flatMap { try products.product($0.productID) }
    let requestedID = item.requested?.transactionID ?? purchase?.transactionID
    guard let requestedID else { return nil }
    if let refusal = RedemptionRefusal(
      of: purchase, requested: item.requested?.productID, product, in: proof.environment,
      isEnvironmentAllowed: isEnvironmentAllowed)
    {
      outcomes[item.place] = RedeemedPurchase(
        transactionID: requestedID, productID: purchase?.productID, outcome: .refused(refusal))
      return nil
    }
    guard let purchase, let product else { return nil }
    return RedemptionEntry(
      place: item.place, requestedID: requestedID, purchase: purchase, product: product,
      key: proof.claimKey(of: purchase, product.type))
  }
}
