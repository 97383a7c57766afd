import Crypto
import Foundation
import StoreModel

/// Says what a payment would cost, and recognises what it said.
struct QuoteMaker {
  let key: SymmetricKey
  let epoch: StoreEpoch

  /// The quote for `payment`, or why there is none.
  func quote(
    _ payment: PaymentRequest, product: ProductDefinition?, customer: Customer, storefront: Storefront,
    catalog: CatalogDefaults, installation: InstallationID
  ) throws -> PaymentQuote {
    guard let product else {
      throw StoreRefusal(.productNotAvailable, "\(payment.productID) is not for sale.")
    }
    guard PaymentRequest.quantityRange.contains(payment.quantity) else {
      throw StoreRefusal(.paymentInvalid, "The quantity must be from 1 to 10; it is \(payment.quantity).")
    }
    guard payment.quantity == 1 || product.type == .consumable else {
      throw StoreRefusal(
        .paymentInvalid,
        "Only consumables are bought several at once; \(payment.productID) is a \(product.type.rawValue.lowercased()).")
    }
    let listing = product.listing(in: storefront, of: catalog)
    guard let total = listing.price.multiplied(by: payment.quantity) else {
      throw StoreRefusal(.paymentInvalid, "\(payment.quantity) of \(payment.productID) cost more than can be charged.")
    }
    let unsigned = PaymentQuote(
      payment: payment, account: customer.name, displayName: listing.displayName, unitPrice: listing.price,
      total: total, storefrontCountryCode: storefront.countryCode, localeIdentifier: listing.localeIdentifier,
      epoch: epoch, authenticationCode: Data())
    return try authenticated(unsigned, installation: installation)
  }

  /// Whether this store made `quote`, just as it is, for `installation`.
  func isGenuine(_ quote: PaymentQuote, installation: InstallationID) throws -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(
      quote.authenticationCode, authenticating: try content(of: quote, installation), using: key)
  }

  private func authenticated(_ quote: PaymentQuote, installation: InstallationID) throws -> PaymentQuote {
    let code = HMAC<SHA256>.authenticationCode(for: try content(of: quote, installation), using: key)
    return PaymentQuote(
      payment: quote.payment, account: quote.account, displayName: quote.displayName, unitPrice: quote.unitPrice,
      total: quote.total, storefrontCountryCode: quote.storefrontCountryCode,
      localeIdentifier: quote.localeIdentifier, epoch: quote.epoch, authenticationCode: Data(code))
  }

  /// Everything in the quote but its code, and the installation, as bytes that are always the same.
  private func content(of quote: PaymentQuote, _ installation: InstallationID) throws -> Data {
    struct Content: Encodable {
      let installation: InstallationID
      let payment: PaymentRequest
      let account: AccountName
      let displayName: String
      let unitPrice: Price
      let total: Price
      let storefront: String
      let locale: String
      let epoch: StoreEpoch
    }
    return try DeviceDoor.encoder().encode(
      Content(
        installation: installation, payment: quote.payment, account: quote.account, displayName: quote.displayName,
        unitPrice: quote.unitPrice, total: quote.total, storefront: quote.storefrontCountryCode,
        locale: quote.localeIdentifier, epoch: quote.epoch))
  }
}
