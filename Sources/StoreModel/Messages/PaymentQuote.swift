import Foundation

/// The exact charge a customer is asked to confirm. Nothing else can be charged for its payment.
///
/// Quoting changes nothing in the store: what makes a quote good later is its authentication code, which
/// only the store can make.
public struct PaymentQuote: Hashable, Codable, Sendable {
  public let payment: PaymentRequest
  /// The account that is asked, and that the confirmation binds, whoever is signed in later.
  public let account: AccountName
  public let displayName: String
  public let unitPrice: Price
  public let total: Price
  public let storefrontCountryCode: String
  public let localeIdentifier: String
  public let epoch: StoreEpoch
  /// HMAC-SHA256 over everything above and the installation, under a key of the store.
  public let authenticationCode: Data

  public init(
    payment: PaymentRequest, account: AccountName, displayName: String, unitPrice: Price, total: Price,
    storefrontCountryCode: String, localeIdentifier: String, epoch: StoreEpoch, authenticationCode: Data
  ) {
    self.payment = payment
    self.account = account
    self.displayName = displayName
    self.unitPrice = unitPrice
    self.total = total
    self.storefrontCountryCode = storefrontCountryCode
    self.localeIdentifier = localeIdentifier
    self.epoch = epoch
    self.authenticationCode = authenticationCode
  }

  /// Whether confirming `other` is confirming this: the same charge for the same goods to the same account.
  public func chargesTheSame(as other: PaymentQuote) -> Bool {
    payment == other.payment && account == other.account && unitPrice == other.unitPrice && total == other.total
      && storefrontCountryCode == other.storefrontCountryCode && epoch == other.epoch
  }
}
