import StoreModel

extension ConfigurationReader {
  /// Reads the subscription groups and their products. Groups with the same id are one group.
  mutating func subscriptionGroups(of root: ConfigurationEntry) -> [StoreKitConfiguration.SubscriptionGroup] {
    var groups: [StoreKitConfiguration.SubscriptionGroup] = []
    var places: [SubscriptionGroupID: (index: Int, location: String)] = [:]
    for entry in entries("subscriptionGroups", of: root, namedBy: ["name", "id"], losing: .product) {
      let name = string("name", of: entry) ?? ""
      let subscriptions = entries("subscriptions", of: entry, namedBy: ["productID"], losing: .product)
      let id = groupID(of: entry, name: name, subscriptions: subscriptions)
      let localizations = localizations(of: entry)
      // All products of a group show the same name.
      let shown = places[id].map { groups[$0.index].localizations } ?? localizations
      let productIDs = subscriptions.compactMap { subscription in
        let product = read(.product) { $0.subscription(subscription, in: id, groupLocalizations: shown) }
        add(product, at: subscription)
        return product?.productID
      }
      if let first = places[id] {
        warn("id \(id.rawValue.quotedForReport) is already used by \(first.location); they are one group", at: entry)
        groups[first.index].productIDs += productIDs
      } else {
        places[id] = (groups.count, entry.location)
        groups.append(.init(id: id, name: name, localizations: localizations, productIDs: productIDs))
      }
    }
    return groups
  }

  /// The identifier of a group.
  ///
  /// If the group has no `id`, the first `subscriptionGroupID` of its subscriptions is used. If there is none, the
  /// identifier is computed from the group's path and name.
  private mutating func groupID(
    of entry: ConfigurationEntry, name: String, subscriptions: [ConfigurationEntry]
  ) -> SubscriptionGroupID {
    if case .number(let digits) = entry["id"] { return SubscriptionGroupID(digits) }
    if let stated = string("id", of: entry), !stated.isEmpty { return SubscriptionGroupID(stated) }
    for case .string(let named) in subscriptions.lazy.map({ $0["subscriptionGroupID"] }) where !named.isEmpty {
      return SubscriptionGroupID(named)
    }
    return SubscriptionGroupID(ProductDefinition.internalID(synthesizedFrom: "\(entry.path) \(name)"))
  }

  private mutating func subscription(
    _ entry: ConfigurationEntry, in groupID: SubscriptionGroupID,
    groupLocalizations: [ProductDefinition.Localization]
  ) -> ProductDefinition? {
    let type = productType(of: entry, allowing: [.autoRenewableSubscription])
    if let stated = statedGroupID(of: entry), stated != groupID.rawValue {
      leaveOut(.value, .groupMismatch(found: stated, expected: groupID.rawValue), at: entry)
    }
    let level = integer("groupNumber", of: entry, in: 1...Int.max, default: 1) { $0.leaveOut(.value, $1, at: entry) }
    let period = period("recurringSubscriptionPeriod", of: entry)
    let price = upFrontPrice(of: entry)
    let offers = offers(of: entry)
    let terms = period.map {
      SubscriptionTerms(groupID: groupID, groupLevel: level, period: $0, offers: offers.terms)
    }
    return product(
      entry, type: type, price: price, groupLocalizations: groupLocalizations, subscription: terms,
      offers: offers.switches)
  }

  private mutating func statedGroupID(of entry: ConfigurationEntry) -> String? {
    if case .number(let digits) = entry["subscriptionGroupID"] { return digits }
    return string("subscriptionGroupID", of: entry).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The price of one period that the customer pays up front.
  ///
  /// If the file has billing plans, this is the price of the plan that is billed up front, because the store sells no
  /// other plan. If that plan is missing or has no valid price, this is the subscription's own price.
  private mutating func upFrontPrice(of entry: ConfigurationEntry) -> Milliunits {
    var upFront: ConfigurationEntry?
    for plan in entries("billingPlans", of: entry, namedBy: ["billingPlanType"], within: entry.names) {
      guard let type = string("billingPlanType", of: plan) else { continue }
      if type == BillingPlanType.billedUpfront.rawValue {
        if bool("isEnabled", of: plan) == false {
          warn("this billing plan is not enabled, but it is the only kind the store sells; it applies", at: plan)
        }
        if upFront == nil, !plan["displayPrice"].isNull { upFront = plan }
      } else {
        warn("billing plan \(type.quotedForReport) is not sold here; the subscription is billed up front", at: plan)
      }
    }
    let planPrice = upFront.flatMap { plan in read(.value) { $0.price("displayPrice", of: plan) } }
    return planPrice ?? price("displayPrice", of: entry)
  }
}
