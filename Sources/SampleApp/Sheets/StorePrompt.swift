import OpenStoreKit
import StoreModel

/// A question or a notice that StoreKit shows to a person.
enum StorePrompt: Hashable, Sendable {
  /// - Parameters:
  ///   - account: the account that the sheet suggests.
  ///   - refusal: the store's reason for refusing an earlier answer; nil if there was none.
  case signIn(account: String, refusal: String?)
  case confirmation(PaymentQuote)
  /// The product was bought before, and is not charged.
  case boughtBefore(PaymentQuote)
  /// The subscription changes to the confirmed plan at the quote's start date.
  case planChangeScheduled(PaymentQuote)
  /// A payment waits for the App Store, which does not answer.
  case waitingForStore
  /// Purchases are restricted on this phone; the payment has failed.
  case paymentsNotAllowed
  /// The customer wants a refund of a purchase, and is asked for the reason.
  case refund(product: ProductID)
  /// A message of the App Store about a subscription.
  case message(StoreMessage)

  /// The title of the sheet.
  var title: String {
    switch self {
    case .signIn: "Sign in to the App Store"
    case .confirmation: "Confirm your purchase"
    case .boughtBefore: "You have bought this before"
    case .planChangeScheduled: "Your plan changes later"
    case .waitingForStore: "Waiting for the App Store"
    case .paymentsNotAllowed: "In-App Purchases are not allowed"
    case .refund: "Request a refund"
    case .message(.priceIncreaseConsent): "The price of your plan increases"
    case .message(.billingIssue): "There is a billing problem"
    case .message(.winBackOffer): "There is an offer for you"
    case .message(.generic): "A message from the App Store"
    }
  }
}
