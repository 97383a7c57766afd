import StoreModel

extension ProductDefinition: Codable {
  private enum CodingKeys: String, CodingKey {
    case productID, referenceName, type, price, prices, isFamilyShareable, internalID, localizations, subscription
    case groupLocalizations, winBackEligibility, stackableOfferCodes
  }

  /// Decodes a definition. Only the identifier, the type, the price and, for an auto-renewable subscription, its terms
  /// are required.
  ///
  /// - Throws: `DecodingError` for an empty identifier, a negative price, or terms that do not fit the type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func refusal(of key: CodingKeys, _ reason: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
    }

    let productID = try container.decode(ProductID.self, forKey: .productID)
    guard !productID.rawValue.isEmpty else { throw refusal(of: .productID, "a product has an identifier") }
    let price = try container.decode(Milliunits.self, forKey: .price)
    guard price >= .zero else { throw refusal(of: .price, "a price is not negative") }
    let prices = try container.decodeIfPresent([String: Milliunits].self, forKey: .prices) ?? [:]
    guard prices.values.allSatisfy({ $0 >= .zero }) else { throw refusal(of: .prices, "a price is not negative") }
    let type = try container.decode(ProductType.self, forKey: .type)
    let subscription = try container.decodeIfPresent(SubscriptionTerms.self, forKey: .subscription)
    guard (type == .autoRenewableSubscription) == (subscription != nil) else {
      throw refusal(
        of: .subscription, "auto-renewable subscriptions, and only they, have subscription terms")
    }

    self.init(
      productID: productID,
      referenceName: try container.decodeIfPresent(String.self, forKey: .referenceName) ?? "",
      type: type, price: price, prices: prices,
      isFamilyShareable: try container.decodeIfPresent(Bool.self, forKey: .isFamilyShareable) ?? false,
      internalID: try container.decodeIfPresent(String.self, forKey: .internalID),
      localizations: try container.decodeIfPresent([Localization].self, forKey: .localizations) ?? [],
      groupLocalizations: try container.decodeIfPresent([Localization].self, forKey: .groupLocalizations) ?? [],
      subscription: subscription,
      winBackEligibility: try container.decodeIfPresent([String: Bool].self, forKey: .winBackEligibility) ?? [:],
      stackableOfferCodes: try container.decodeIfPresent(Set<String>.self, forKey: .stackableOfferCodes) ?? []
    )
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(productID, forKey: .productID)
    try container.encode(referenceName, forKey: .referenceName)
    try container.encode(type, forKey: .type)
    try container.encode(price, forKey: .price)
    try container.encode(prices, forKey: .prices)
    try container.encode(isFamilyShareable, forKey: .isFamilyShareable)
    try container.encode(internalID, forKey: .internalID)
    try container.encode(localizations, forKey: .localizations)
    if !groupLocalizations.isEmpty { try container.encode(groupLocalizations, forKey: .groupLocalizations) }
    try container.encodeIfPresent(subscription, forKey: .subscription)
    try container.encode(winBackEligibility, forKey: .winBackEligibility)
    // Sorted, because the order of a set differs between processes.
    try container.encode(stackableOfferCodes.sorted(), forKey: .stackableOfferCodes)
  }
}
