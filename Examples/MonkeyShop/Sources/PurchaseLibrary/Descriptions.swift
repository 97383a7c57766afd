import StoreKit

extension SKPaymentTransactionState: CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .purchasing: return "purchasing"
    case .purchased: return "purchased"
    case .failed: return "failed"
    case .restored: return "restored"
    case .deferred: return "deferred"
    @unknown default: return "unknown state"
    }
  }
}

extension SKDownloadState: CustomStringConvertible {
  // Apple's enumeration is closed, so the `switch` has no default.
  public var description: String {
    switch self {
    case .waiting: return "waiting"
    case .active: return "active"
    case .paused: return "paused"
    case .finished: return "finished"
    case .failed: return "failed"
    case .cancelled: return "cancelled"
    }
  }
}

extension SKProductStorePromotionVisibility: CustomStringConvertible {
  public var description: String {
    switch self {
    case .default: return "default"
    case .show: return "show"
    case .hide: return "hide"
    }
  }
}

extension SKProduct.PeriodUnit: CustomStringConvertible {
  public var description: String {
    switch self {
    case .day: return "day"
    case .week: return "week"
    case .month: return "month"
    case .year: return "year"
    @unknown default: return "unknown unit"
    }
  }
}

extension SKProductDiscount.PaymentMode: CustomStringConvertible {
  public var description: String {
    switch self {
    case .payAsYouGo: return "pay as you go"
    case .payUpFront: return "pay up front"
    case .freeTrial: return "free trial"
    @unknown default: return "unknown mode"
    }
  }
}

extension SKError: LocalizedError {
  public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String ?? "SKError \(errorCode)" }
}

extension SKProduct {
  public var localizedPrice: String? {
    let formatter = NumberFormatter()
    formatter.locale = priceLocale
    formatter.numberStyle = .currency
    return formatter.string(from: price)
  }

  public var localizedSubscriptionPeriod: String {
    guard let period = subscriptionPeriod else { return "" }
    return "\(period.numberOfUnits) \(period.unit)"
  }
}
