// The raw values are those of signed transactions (see Documentation/architecture.md, "Formats").

/// How a customer received ownership of a product.
public enum OwnershipType: String, Hashable, Codable, Sendable, CaseIterable {
  case purchased = "PURCHASED"
  case familyShared = "FAMILY_SHARED"
  case assigned = "ASSIGNED"
}

/// Why a transaction exists.
public enum TransactionReason: String, Hashable, Codable, Sendable, CaseIterable {
  /// The customer bought the product, or upgraded.
  case purchase = "PURCHASE"
  /// The store renewed a subscription. This includes a downgrade that takes effect.
  case renewal = "RENEWAL"
}

public enum RevocationReason: Int, Hashable, Codable, Sendable, CaseIterable {
  case other = 0
  case issueWithApp = 1
}

public enum RevocationType: String, Hashable, Codable, Sendable, CaseIterable {
  case fullRefund = "REFUND_FULL"
  case proratedRefund = "REFUND_PRORATED"
  case familyRevoke = "FAMILY_REVOKE"
  case assignmentRevoke = "ASSIGNMENT_REVOKE"
}

public enum TransactionOfferType: Int, Hashable, Codable, Sendable {
  case introductory = 1
  case promotional = 2
  case offerCode = 3
  case winBack = 4

  public init(_ kind: SubscriptionOffer.Kind) {
    self =
      switch kind {
      case .introductory: .introductory
      case .promotional: .promotional
      case .offerCode: .offerCode
      case .winBack: .winBack
      }
  }
}

public enum OfferDiscountType: String, Hashable, Codable, Sendable {
  case freeTrial = "FREE_TRIAL"
  case payAsYouGo = "PAY_AS_YOU_GO"
  case payUpFront = "PAY_UP_FRONT"
  case oneTime = "ONE_TIME"

  public init(_ mode: SubscriptionOffer.PaymentMode) {
    self =
      switch mode {
      case .freeTrial: .freeTrial
      case .payAsYouGo: .payAsYouGo
      case .payUpFront: .payUpFront
      }
  }
}

public enum BillingPlanType: String, Hashable, Codable, Sendable {
  case billedUpfront = "BILLED_UPFRONT"
  case monthly = "MONTHLY"
}
