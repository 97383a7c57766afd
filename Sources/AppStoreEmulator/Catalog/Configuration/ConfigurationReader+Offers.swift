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
    terms += identifiedOffers("adHocOffers", .promotional, by: ["offerID"], of: subscription) { _, _, _ in }
    // Customers and transactions identify an offer code by its reference name.
    terms += identifiedOffers("codeOffers", .offerCode, by: ["referenceName", "offerID"], of: subscription) {
      if $0.bool("isStackable", of: $1) == true { switches.stackableCodes.insert($2) }
    }
    terms += identifiedOffers("winbackOffers", .winBack, by: ["offerID"], of: subscription) {
      if let isEligible = $0.bool("isEligible", of: $1) { switches.winBackEligibility[$2] = isEligible }
    }
    return (terms, switches)
  }

  /// Reads the first usable offer of `introductoryOffers` that is billed up front, or else `introductoryOffer`. If a file
  /// has both keys, both contain the same offer.
  private mutating func introductoryOffer(of subscription: ConfigurationEntry) -> SubscriptionOffer? {
    var chosen: SubscriptionOffer?
    for entry in entries("introductoryOffers", of: subscription, within: subscription.names, losing: .offer)
    where isBilledUpFront(entry) {
      if chosen != nil {
        warn("a subscription has one introductory offer; this one is left out", at: entry)
      } else {
        chosen = read(.offer) { $0.offer(entry, .introductory, nil) }
      }
    }
    guard chosen == nil, let single = object("introductoryOffer", of: subscription), isBilledUpFront(single) else {
      return chosen
    }
    return read(.offer) { $0.offer(single, .introductory, nil) }
  }

  /// The offers of an array. An offer whose identifier is missing, or that of an offer before it, is left out.
  ///
  /// - Parameter keep: called for each offer that is not left out, with its identifier.
  private mutating func identifiedOffers(
    _ key: String, _ kind: SubscriptionOffer.Kind, by idKeys: [String], of subscription: ConfigurationEntry,
    keep: (inout Self, ConfigurationEntry, String) -> Void
  ) -> [SubscriptionOffer] {
    var locations: [String: String] = [:]
    var offers: [SubscriptionOffer] = []
    for entry in entries(key, of: subscription, namedBy: idKeys, within: subscription.names, losing: .offer)
    where isBilledUpFront(entry) {
      let idKey = idKeys.first { entry[$0].hasText } ?? idKeys[0]
      let offer = read(.offer) { reader in
        let id = reader.requiredString(idKey, of: entry)
        if let id, let first = locations[id] {
          reader.report(.duplicate(key: idKey, value: id, first: first), at: entry)
        }
        let eligibility = kind == .offerCode ? reader.eligibility(of: entry) : []
        return reader.offer(entry, kind, id, eligibility)
      }
      guard let offer, let id = offer.identifier else { continue }
      locations[id] = entry.location
      offers.append(offer)
      keep(&self, entry, id)
    }
    return offers
  }

  private mutating func offer(
    _ entry: ConfigurationEntry, _ kind: SubscriptionOffer.Kind, _ identifier: String?,
    _ eligibility: [SubscriptionOffer.Eligibility] = []
  ) -> SubscriptionOffer? {
    let period = period("subscriptionPeriod", of: entry)
    let mode = requiredString("paymentMode", of: entry).flatMap { word in
      let match = Self.paymentModes.first { $0.key == word }?.value
      if match == nil {
        report(.unknownValue(key: "paymentMode", value: word, allowed: Self.paymentModes.map(\.key)), at: entry)
      }
      return match
    }
    // The same range as for the number of units in a `CalendarPeriod`.
    let written = integer("numberOfPeriods", of: entry, in: 1...999, default: 1) { $0.report($1, at: entry) }
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
  ///
  /// A word that is not known is left out. If no word is known, the offer has a problem; otherwise, the offer would be
  /// for all customers.
  private mutating func eligibility(of entry: ConfigurationEntry) -> [SubscriptionOffer.Eligibility] {
    let key = "eligibility"
    guard case .array(let elements) = entry[key] else {
      if !entry[key].isNull { report(.wrongType(key: key, expected: "an array"), at: entry) }
      return Self.eligibilities.map(\.value)
    }
    guard !elements.isEmpty else { return Self.eligibilities.map(\.value) }
    var known: [SubscriptionOffer.Eligibility] = []
    var unknown: [StoreKitConfigurationError.Kind] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let word) = ConfigurationValue(element) else {
        unknown.append(.wrongType(key: "\(key)[\(index)]", expected: "a string"))
        continue
      }
      if let match = Self.eligibilities.first(where: { $0.key == word })?.value {
        known.append(match)
      } else {
        unknown.append(.unknownValue(key: key, value: word, allowed: Self.eligibilities.map(\.key)))
      }
    }
    for kind in unknown {
      if known.isEmpty { report(kind, at: entry) } else { leaveOut(.value, kind, at: entry) }
    }
    return known
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
