/// The type of a message to the team's backend. Documentation/webhooks.md says what causes each.
public enum WebhookMessageType: String, CaseIterable, Hashable, Codable, Comparable, Sendable {
  case initialPurchase = "INITIAL_PURCHASE"
  case renewal = "RENEWAL"
  case cancellation = "CANCELLATION"
  case uncancellation = "UNCANCELLATION"
  case nonRenewingPurchase = "NON_RENEWING_PURCHASE"
  case expiration = "EXPIRATION"
  case billingIssue = "BILLING_ISSUE"
  case productChange = "PRODUCT_CHANGE"
  case transfer = "TRANSFER"
  case subscriptionExtended = "SUBSCRIPTION_EXTENDED"
  case refund = "REFUND"
  case refundReversed = "REFUND_REVERSED"
  case priceIncreaseConsentRequired = "PRICE_INCREASE_CONSENT_REQUIRED"
  case priceIncreaseConsentApproved = "PRICE_INCREASE_CONSENT_APPROVED"
  case virtualCurrencyTransaction = "VIRTUAL_CURRENCY_TRANSACTION"
  case consumptionRequest = "CONSUMPTION_REQUEST"
  /// Sent only when an operator asks for it, whatever types a webhook has chosen.
  case test = "TEST"

  public static func < (left: WebhookMessageType, right: WebhookMessageType) -> Bool { left.rawValue < right.rawValue }
}

extension WebhookMessageType: SQLValueConvertible {}
