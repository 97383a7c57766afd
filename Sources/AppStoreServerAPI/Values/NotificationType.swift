/// The types of App Store Server Notifications, version 2 ("notificationType").
public enum NotificationType: String, Hashable, Codable, Sendable, CaseIterable {
  case subscribed = "SUBSCRIBED"
  case didRenew = "DID_RENEW"
  case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
  case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
  case offerRedeemed = "OFFER_REDEEMED"
  case didFailToRenew = "DID_FAIL_TO_RENEW"
  case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
  case expired = "EXPIRED"
  case priceIncrease = "PRICE_INCREASE"
  case refund = "REFUND"
  case refundDeclined = "REFUND_DECLINED"
  case refundReversed = "REFUND_REVERSED"
  case consumptionRequest = "CONSUMPTION_REQUEST"
  case revoke = "REVOKE"
  case renewalExtended = "RENEWAL_EXTENDED"
  case renewalExtension = "RENEWAL_EXTENSION"
  case oneTimeCharge = "ONE_TIME_CHARGE"
  case test = "TEST"
  case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
  case rescindConsent = "RESCIND_CONSENT"
  case metadataUpdate = "METADATA_UPDATE"
  case migration = "MIGRATION"
  case priceChange = "PRICE_CHANGE"
  case unclaimSeats = "UNCLAIM_SEATS"

  /// The subtypes that notifications of this type can have.
  ///
  /// Apple does not say the type of `INCREASE_QUANTITY` and `DECREASE_QUANTITY`. They are changes of the renewal.
  public var subtypes: [NotificationSubtype] {
    switch self {
    case .subscribed: [.initialBuy, .resubscribe]
    case .didRenew: [.billingRecovery]
    case .didChangeRenewalPref: [.upgrade, .downgrade, .increaseQuantity, .decreaseQuantity]
    case .offerRedeemed: [.upgrade, .downgrade]
    case .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled]
    case .didFailToRenew: [.gracePeriod]
    case .expired: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale]
    case .priceIncrease: [.pending, .accepted]
    case .refund: [.seats]
    case .renewalExtension: [.summary, .failure]
    case .externalPurchaseToken: [.unreported, .created, .activeTokenReminder]
    case .gracePeriodExpired, .refundDeclined, .refundReversed, .consumptionRequest, .revoke, .renewalExtended,
      .oneTimeCharge, .test, .rescindConsent, .metadataUpdate, .migration, .priceChange, .unclaimSeats:
      []
    }
  }
}

/// The subtypes of notifications ("subtype").
public enum NotificationSubtype: String, Hashable, Codable, Sendable, CaseIterable {
  case initialBuy = "INITIAL_BUY"
  case resubscribe = "RESUBSCRIBE"
  case billingRecovery = "BILLING_RECOVERY"
  case upgrade = "UPGRADE"
  case downgrade = "DOWNGRADE"
  case autoRenewEnabled = "AUTO_RENEW_ENABLED"
  case autoRenewDisabled = "AUTO_RENEW_DISABLED"
  case gracePeriod = "GRACE_PERIOD"
  case voluntary = "VOLUNTARY"
  case billingRetry = "BILLING_RETRY"
  case priceIncrease = "PRICE_INCREASE"
  case productNotForSale = "PRODUCT_NOT_FOR_SALE"
  case pending = "PENDING"
  case accepted = "ACCEPTED"
  case seats = "SEATS"
  case increaseQuantity = "INCREASE_QUANTITY"
  case decreaseQuantity = "DECREASE_QUANTITY"
  case summary = "SUMMARY"
  case failure = "FAILURE"
  case unreported = "UNREPORTED"
  case created = "CREATED"
  case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
}
