import Foundation

/// The exact charge that a customer confirms. The store charges exactly this.
///
/// Quoting changes nothing in the store. A quote is proven by its authentication code, which only the store can
/// compute.
public struct PaymentQuote: Hashable, Codable, Sendable {
  public let payment: PaymentRequest
  /// The account that is charged, also if another customer is signed in when the payment is confirmed.
  public let account: AccountName
  public let displayName: String
  public let unitPrice: Price
  public let total: Price
  public let storefrontCountryCode: String
  public let localeIdentifier: String
  public let epoch: StoreEpoch
  /// HMAC-SHA256 of all properties above and the installation, with a key of the store.
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

  /// Whether both quotes make the same charge for the same product to the same account.
  public func chargesTheSame(as other: PaymentQuote) -> Bool {
    payment == other.payment && account == other.account && unitPrice == other.unitPrice && total == other.total
      && storefrontCountryCode == other.storefrontCountryCode && epoch == other.epoch
  }
}
