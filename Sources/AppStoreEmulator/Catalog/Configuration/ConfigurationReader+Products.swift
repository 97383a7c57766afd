import StoreModel

extension ConfigurationReader {
  /// The product types by their names in the file, each with the part of the file that contains products of the type.
  private static let types: KeyValuePairs<String, (type: ProductType, home: String)> = [
    "Consumable": (.consumable, "products"),
    "NonConsumable": (.nonConsumable, "products"),
    "NonRenewingSubscription": (.nonRenewingSubscription, "nonRenewingSubscriptions"),
    "RecurringSubscription": (.autoRenewableSubscription, "subscriptionGroups"),
  ]

  /// Reads the products of an array that are not part of a subscription group.
  mutating func readProducts(_ key: String, of root: ConfigurationEntry, allowing allowed: [ProductType]) {
    for entry in entries(key, of: root, namedBy: ["productID"], losing: .product) {
      let product = read(.product) { reader in
        let type = reader.productType(of: entry, allowing: allowed)
        let price = reader.price("displayPrice", of: entry)
        return reader.product(entry, type: type, price: price)
      }
      add(product, at: entry)
    }
  }

  /// The type of an entry. It may be missing if only one type is allowed.
  ///
  /// A product that is not a subscription is sold wherever the file has it. If the type is missing or invalid, reports
  /// the problem, and returns the first allowed type.
  mutating func productType(of entry: ConfigurationEntry, allowing allowed: [ProductType]) -> ProductType {
    if entry["type"].isNull, allowed.count == 1 { return allowed[0] }
    guard let text = requiredString("type", of: entry) else { return allowed[0] }
    let match = Self.types.first { $0.key == text }?.value
    if let match, allowed.contains(match.type) { return match.type }
    if let match, match.type != .autoRenewableSubscription, !allowed.contains(.autoRenewableSubscription) {
      warn("type \(text.quotedForReport) belongs in \(match.home); the product is sold as that type", at: entry)
      return match.type
    }
    if let match {
      report(.misplacedType(value: text, belongsIn: match.home), at: entry)
    } else {
      let names = Self.types.filter { allowed.contains($0.value.type) }.map(\.key)
      report(.unknownValue(key: "type", value: text, allowed: names), at: entry)
    }
    return allowed[0]
  }

  /// Reads the properties that all products have.
  ///
  /// - Parameter subscription: the terms of an auto-renewable subscription; nil if they have a problem.
  mutating func product(
    _ entry: ConfigurationEntry, type: ProductType, price: Milliunits,
    groupLocalizations: [ProductDefinition.Localization] = [], subscription: SubscriptionTerms? = nil,
    offers: OfferSwitches = OfferSwitches()
  ) -> ProductDefinition? {
    let referenceName = string("referenceName", of: entry)
    let isFamilyShareable = bool("familyShareable", of: entry)
    let localizations = localizations(of: entry)
    let internalID = internalID(of: entry)
    guard let productID = requiredString("productID", of: entry).map(ProductID.init(rawValue:)) else { return nil }
    if let first = productLocations[productID] {
      report(.duplicate(key: "productID", value: productID.rawValue, first: first), at: entry)
    }
    // Terms that cannot be read were reported already. The product cannot exist without them.
    if type == .autoRenewableSubscription, subscription == nil { return nil }
    return ProductDefinition(
      productID: productID, referenceName: referenceName ?? "", type: type, price: price,
      isFamilyShareable: isFamilyShareable ?? false, internalID: internalID, localizations: localizations,
      groupLocalizations: groupLocalizations, subscription: subscription,
      winBackEligibility: offers.winBackEligibility, stackableOfferCodes: offers.stackableCodes)
  }

  /// Adds a product. Of several products with the same identifier, the first without a problem is sold: Xcode appends
  /// copies, and a copy is usually the one that was not finished.
  mutating func add(_ product: ProductDefinition?, at entry: ConfigurationEntry) {
    guard let product else { return }
    productLocations[product.productID] = entry.location
    products.append(product)
  }

  /// Reads an internal id. Xcode writes a string; hand-made files may have a number. `identifier` is ignored, because
  /// hand-made files use it for other values.
  private mutating func internalID(of entry: ConfigurationEntry) -> String? {
    if case .number(let digits) = entry["internalID"] { return digits }
    return string("internalID", of: entry).flatMap { $0.isEmpty ? nil : $0 }
  }
}
