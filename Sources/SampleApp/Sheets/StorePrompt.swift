import StoreModel

/// What StoreKit asks a person, or tells them.
enum StorePrompt: Hashable, Sendable {
  /// - Parameters:
  ///   - account: the one the phone knows, to begin with.
  ///   - refusal: why an earlier answer was not accepted, in the store's words.
  case signIn(account: String, refusal: String?)
  case confirmation(PaymentQuote)
  /// It was bought before, and is not charged.
  case boughtBefore(PaymentQuote)
  /// Purchases are restricted on this phone; what was added has failed.
  case paymentsNotAllowed
}
