import AppStoreServerAPI
import StoreModel

/// What the ledger knows about a purchase whose refund was asked for: whether it was delivered, and how much of it was used.
struct ConsumptionShare: Hashable, Sendable {
  let wasDelivered: Bool
  /// The used part, in thousandths of a percent, 0 to 100,000; nil if the ledger does not know it.
  let percentage: Int64?

  /// The ledger's answer about a consumable with credits.
  init(credits: CreditLots.Purchase?) {
    guard let credits else {
      self.init(wasDelivered: false, percentage: 0)
      return
    }
    self.init(wasDelivered: true, percentage: Self.percentage(credits.spent, of: credits.given))
  }

  init(wasDelivered: Bool, percentage: Int64?) {
    self.wasDelivered = wasDelivered
    self.percentage = percentage
  }

  /// Returns a part in thousandths of a percent, rounded down, in favour of the customer. A part that is more than nothing is at
  /// least 1.
  ///
  /// - Parameters:
  ///   - part: 0 to `whole`.
  ///   - whole: 1 to 10¹³, so that nothing overflows.
  static func percentage(_ part: Int64, of whole: Int64) -> Int64 {
    guard part > 0 else { return 0 }
    return part < whole ? max(1, part * 100_000 / whole) : 100_000
  }

  /// The values that are sent.
  ///
  /// - Parameters:
  ///   - chosen: an operator's values, which replace the computed ones.
  ///   - type: an auto-renewable subscription has no percentage: the App Store knows the elapsed part itself.
  func answer(
    _ chosen: ConsumptionValues, _ type: ProductType, _ settings: ConsumptionSettings
  ) -> ConsumptionValues {
    let isUsed = chosen.consumptionPercentage ?? 0 > 0
    let delivery = chosen.deliveryStatus ?? (wasDelivered || isUsed ? .delivered : .other)
    var percentage = type == .autoRenewableSubscription ? nil : chosen.consumptionPercentage ?? self.percentage
    if delivery != .delivered, percentage != nil { percentage = 0 }
    return ConsumptionValues(
      refundPreference: Self.preference(
        chosen.refundPreference ?? settings.refundPreference, delivery, percentage, type),
      deliveryStatus: delivery, consumptionPercentage: percentage,
      sampleContentProvided: chosen.sampleContentProvided ?? settings.sampleContentProvided)
  }

  /// `prorated` is possible only if a part was used. Otherwise it is the preference that has the same effect; none if the used part
  /// is not known.
  private static func preference(
    _ wanted: ConsumptionValues.Preference?, _ delivery: ConsumptionValues.Delivery, _ percentage: Int64?,
    _ type: ProductType
  ) -> ConsumptionValues.Preference? {
    guard wanted == .prorated, type != .autoRenewableSubscription || delivery != .delivered else { return wanted }
    guard delivery == .delivered else { return .grant }
    return switch percentage {
    case nil: nil
    case 0: .grant
    case 100_000: .decline
    default: .prorated
    }
  }
}

extension ConsumptionValues {
  /// The body of Send Consumption Information.
  ///
  /// A missing delivery status is `DELIVERED`, and a missing `sampleContentProvided` is false.
  public var request: ConsumptionRequest {
    let preference: ConsumptionRequest.RefundPreference? =
      switch refundPreference {
      case .grant: .grantFull
      case .decline: .decline
      case .prorated: .grantProrated
      case nil: nil
      }
    return ConsumptionRequest(
      customerConsented: true, sampleContentProvided: sampleContentProvided ?? false,
      deliveryStatus: OpenEnum(deliveryStatus ?? .delivered),
      consumptionPercentage: consumptionPercentage.map(Int.init),
      refundPreference: preference.map { OpenEnum($0) })
  }

  /// Checks values that an operator has chosen.
  ///
  /// - Throws: ``LedgerError/invalid(_:)``.
  func check(_ type: ProductType) throws(LedgerError) {
    if consumptionPercentage != nil, type == .autoRenewableSubscription {
      throw .invalid("An auto-renewable subscription has no consumptionPercentage. Leave it out.")
    }
    guard consumptionPercentage.map({ (0...100_000).contains($0) }) ?? true else {
      throw .invalid("consumptionPercentage is 0 to 100,000, in thousandths of a percent.")
    }
    do throws(ServerAPIRefusal) {
      try request.check()
    } catch {
      throw .invalid("The App Store does not accept these values: \(error.reason).")
    }
  }
}
