import StoreModel

/// The settings of a subscription's offers that are not part of the offers' terms.
struct OfferSwitches {
  /// Whether customers may redeem a win-back offer, by offer identifier.
  var winBackEligibility: [String: Bool] = [:]
  /// The names of the offer codes that may be combined with an introductory offer.
  var stackableCodes: Set<String> = []
}

extension ConfigurationReader {
  private static let paymentModes: KeyValuePairs<String, SubscriptionOffer.PaymentMode> = [
    "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
  ]

  private static let eligibilities: KeyValuePairs<String, SubscriptionOffer.Eligibility> = [
    "new": .new, "existing": .existing, "expired": .expired,
  ]

  /// The offers of a subscription: introductory, promotional, offer codes, win-back; each kind in the order of the
  /// file.
  mutating func offers(of subscription: ConfigurationEntry) -> (terms: [SubscriptionOffer], switches: OfferSwitches) {
    var terms = introductoryOffer(of: subscription).map { [$0] } ?? []
    var switches = OfferSwitches()
    for (entry, id) in identifiedEntries("adHocOffers", by: ["offerID"], of: subscription) {
      if let offer = offer(entry, .promotional, id) { terms.append(offer) }
    }
    // Customers and transactions identify an offer code by its reference name.
    for (entry, id) in identifiedEntries("codeOffers", by: ["referenceName", "offerID"], of: subscription) {
      let eligibility = eligibility(of: entry)
      if bool("isStackable", of: entry) == true { switches.stackableCodes.insert(id) }
      if let offer = offer(entry, .offerCode, id, eligibility) { terms.append(offer) }
    }
    for (entry, id) in identifiedEntries("winbackOffers", by: ["offerID"], of: subscription) {
      if let isEligible = bool("isEligible", of: entry) { switches.winBackEligibility[id] = isEligible }
      if let offer = offer(entry, .winBack, id) { terms.append(offer) }
    }
    return (terms, switches)
  }

  /// Reads the first offer of `introductoryOffers` that is billed up front, or else `introductoryOffer`. If a file has
  /// both keys, both contain the same offer.
  private mutating func introductoryOffer(of subscription: ConfigurationEntry) -> SubscriptionOffer? {
    let several = entries("introductoryOffers", of: subscription, within: subscription.names)
      .filter { isBilledUpFront($0) }
    let single = object("introductoryOffer", of: subscription).flatMap { isBilledUpFront($0) ? $0 : nil }
    for extra in several.dropFirst() {
      warn("a subscription has one introductory offer; this one is left out", at: extra)
    }
    return (several.first ?? single).flatMap { offer($0, .introductory, nil) }
  }

  /// The offers of an array, with their identifiers. Offers with a missing or duplicate identifier are reported and
  /// left out.
  private mutating func identifiedEntries(
    _ key: String, by idKeys: [String], of subscription: ConfigurationEntry
  ) -> [(entry: ConfigurationEntry, id: String)] {
    var locations: [String: String] = [:]
    var identified: [(entry: ConfigurationEntry, id: String)] = []
    for entry in entries(key, of: subscription, namedBy: idKeys, within: subscription.names)
    where isBilledUpFront(entry) {
      let idKey = idKeys.first { !entry[$0].isNull } ?? idKeys[0]
      guard let id = requiredString(idKey, of: entry) else { continue }
      if let first = locations[id] {
        report(.duplicate(key: idKey, value: id, first: first), at: entry)
        continue
      }
      locations[id] = entry.location
      identified.append((entry, id))
    }
    return identified
  }

  private mutating func offer(
    _ entry: ConfigurationEntry, _ kind: SubscriptionOffer.Kind, _ identifier: String?,
    _ eligibility: [SubscriptionOffer.Eligibility] = []
  ) -> SubscriptionOffer? {
    let period = period("subscriptionPeriod", of: entry)
    let mode = requiredString("paymentMode", of: entry)
      .flatMap { meaning($0, for: "paymentMode", of: entry, in: Self.paymentModes) }
    // The same range as for the number of units in a `SubscriptionPeriod`.
    let written = integer("numberOfPeriods", of: entry, in: 1...999, default: 1)
    guard let mode else { return nil }
    if mode != .payAsYouGo, written != 1 {
      warn("numberOfPeriods has no effect: the offer is one period long unless it is payAsYouGo", at: entry)
    }
    // The price of a free trial is ignored, because editors keep the price that was typed before the offer became free.
    let price = mode == .freeTrial ? .zero : price("displayPrice", of: entry)
    guard let period else { return nil }
    return SubscriptionOffer(
      kind: kind, identifier: identifier, paymentMode: mode, period: period,
      numberOfPeriods: mode == .payAsYouGo ? written : 1, price: price, eligibility: eligibility)
  }

  /// The customers who may redeem an offer code: all customers if the list is empty, or missing as in version 1.1.
  private mutating func eligibility(of entry: ConfigurationEntry) -> [SubscriptionOffer.Eligibility] {
    let key = "eligibility"
    guard case .array(let elements) = entry[key] else {
      if !entry[key].isNull { report(.wrongType(key: key, expected: "an array"), at: entry) }
      return Self.eligibilities.map(\.value)
    }
    guard !elements.isEmpty else { return Self.eligibilities.map(\.value) }
    return elements.enumerated().compactMap { index, element in
      guard case .string(let word) = ConfigurationValue(element) else {
        report(.wrongType(key: "\(key)[\(index)]", expected: "a string"), at: entry)
        return nil
      }
      return meaning(word, for: key, of: entry, in: Self.eligibilities)
    }
  }

  private mutating func isBilledUpFront(_ offer: ConfigurationEntry) -> Bool {
    guard let plan = string("billingPlanType", of: offer), plan != BillingPlanType.billedUpfront.rawValue else {
      return true
    }
    let text = "an offer for billing plan \(plan.quotedForReport) is left out; subscriptions are billed up front here"
    warn(text, at: offer)
    return false
  }
}
