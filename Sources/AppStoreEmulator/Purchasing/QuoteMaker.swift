import Crypto
import Foundation
import StoreModel

/// Makes quotes. ``QuoteCheck`` checks them when they are confirmed.
///
/// A quote belongs to the customer for whom it was made, not to a later customer of the same name. Its authentication
/// code is the customer's number (8 bytes, big-endian) and an HMAC-SHA256 of the quote, the installation and that
/// number. Quotes of the previous version have only an HMAC, without a number.
struct QuoteMaker {
  let key: SymmetricKey
  let epoch: StoreEpoch

  /// Makes the quote for `payment`, with its authentication code.
  ///
  /// - Parameter locale: the locale of the texts; nil for the storefront's languages.
  /// - Throws: ``StoreRefusal`` if the payment is invalid.
  func quote(
    _ payment: PaymentRequest, product: ProductDefinition?, customer: Customer, number: CustomerNumber,
    storefront: Territory, catalog: CatalogDefaults, locale: String?, plan: SubscriptionQuote?,
    installation: InstallationID
  ) throws -> PaymentQuote {
    guard let product else {
      throw StoreRefusal(.productNotAvailable, "\(payment.productID) is not for sale.")
    }
    guard PaymentRequest.quantityRange.contains(payment.quantity) else {
      throw StoreRefusal(.paymentInvalid, "The quantity must be from 1 to 10; it is \(payment.quantity).")
    }
    guard payment.quantity == 1 || product.type.allowsQuantity else {
      throw StoreRefusal(
        .paymentInvalid,
        "Several are bought at once only of consumables and non-renewing subscriptions. "
          + "The type of \(payment.productID) is \(product.type.rawValue).")
    }
    let listing = product.listing(in: storefront, of: catalog, locale: locale)
    guard let regular = listing.price.multiplied(by: payment.quantity) else {
      throw StoreRefusal(.paymentInvalid, "\(payment.quantity) of \(payment.productID) cost more than can be charged.")
    }
    let charged = plan?.startDate == nil ? plan?.offer?.price ?? regular.amount : .zero
    let unsigned = PaymentQuote(
      payment: payment, account: customer.name, displayName: listing.displayName, unitPrice: listing.price,
      total: Price(amount: charged, currency: regular.currency), plan: plan,
      storefrontCountryCode: storefront.countryCode, localeIdentifier: listing.localeIdentifier,
      epoch: epoch, authenticationCode: Data())
    return try authenticated(unsigned, customer: number, installation: installation)
  }

  private func authenticated(
    _ quote: PaymentQuote, customer: CustomerNumber, installation: InstallationID
  ) throws -> PaymentQuote {
    let number = withUnsafeBytes(of: customer.rawValue.bigEndian) { Data($0) }
    let code =
      number + HMAC<SHA256>.authenticationCode(for: try content(of: quote, customer, installation), using: key)
    return PaymentQuote(
      payment: quote.payment, account: quote.account, displayName: quote.displayName, unitPrice: quote.unitPrice,
      total: quote.total, plan: quote.plan, storefrontCountryCode: quote.storefrontCountryCode,
      localeIdentifier: quote.localeIdentifier, epoch: quote.epoch, authenticationCode: code)
  }

  /// Returns the encoder of the authenticated values. It must not change, nor may the members of their types: a confirmed
  /// quote of before would not be genuine any more.
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// The authenticated values as deterministic bytes: the customer's number, the installation, and the quote
  /// without its code.
  func content(
    of quote: PaymentQuote, _ customer: CustomerNumber?, _ installation: InstallationID
  ) throws -> Data {
    struct Content: Encodable {
      let customer: Int64?
      let installation: InstallationID
      let payment: PaymentRequest
      let account: AccountName
      let displayName: String
      let unitPrice: Price
      let total: Price
      let plan: SubscriptionQuote?
      let storefront: String
      let locale: String
      let epoch: StoreEpoch
    }
    return try Self.encoder().encode(
      Content(
        customer: customer?.rawValue, installation: installation, payment: quote.payment, account: quote.account,
        displayName: quote.displayName, unitPrice: quote.unitPrice, total: quote.total, plan: quote.plan,
        storefront: quote.storefrontCountryCode, locale: quote.localeIdentifier, epoch: quote.epoch))
  }
}
