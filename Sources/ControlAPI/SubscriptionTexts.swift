import AppStoreEmulator
import StoreModel

extension RenewalRecord {
  /// Why the subscription has expired; nil if it has not expired.
  package static func text(ofExpirationIntent number: Int?) -> String? {
    switch number {
    case 1: "The customer cancelled."
    case 2: "The renewal could not be charged."
    case 3: "The customer did not agree to a price increase."
    case 4: "The product is no longer sold."
    default: nil
    }
  }
}

extension SubscriptionStep {
  /// The step in words, for pages and the command line.
  package var text: String {
    switch self {
    case .subscribed: "Subscribed"
    case .resubscribed: "Subscribed again"
    case .renewed: "Renewed"
    case .recovered: "Renewed after billing retry"
    case .upgraded: "Upgraded"
    case .planChosen: "Another plan chosen for the next period"
    case .planChoiceCancelled: "Choice of another plan cancelled"
    case .offerRedeemed: "Offer redeemed"
    case .gracePeriodBegan: "Renewal failed; grace period began"
    case .billingRetryBegan: "Renewal failed; billing retry began"
    case .gracePeriodEnded: "Grace period ended"
    case .billingRetryEnded: "Billing retry ended"
    case .autoRenewOn: "Automatic renewal turned on"
    case .autoRenewOff: "Automatic renewal turned off"
    case .priceIncreaseAnnounced: "Price increase announced"
    case .priceIncreaseAgreed: "Price increase agreed to"
    case .priceIncreaseDeclined: "Price increase declined"
    case .expired: "Expired"
    case .revoked: "Refunded"
    case .refundReversed: "Refund reversed"
    case .renewalDateExtended: "Renewal date extended"
    }
  }
}
