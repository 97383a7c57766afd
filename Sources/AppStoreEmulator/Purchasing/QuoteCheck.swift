import Crypto
import Foundation
import StoreModel

/// Checks the quote that a customer has confirmed: whether this store made the quote for this customer and
/// installation, and whether the quote is still current. Uses no database.
struct QuoteCheck: Equatable {
  let quote: PaymentQuote
  /// The store's epoch.
  let epoch: StoreEpoch
  /// Whether this store made the quote for this installation, and it was not changed.
  let isGenuine: Bool
  /// Whether the quote's customer still exists, and is not a later customer of the same name.
  let isOfCustomer: Bool

  /// The reason why the quote cannot be used at all; nil if it can be used. This refusal is not stored, because it does
  /// not change the payment's outcome.
  var refusal: StoreRefusal? {
    guard quote.epoch == epoch else {
      return StoreRefusal(.epochEnded, "The store was reset since the customer confirmed. Nothing was charged.")
    }
    guard isGenuine else {
      return StoreRefusal(
        .quoteNotGenuine, "That quote was not made by this store for this installation. Nothing was charged.")
    }
    guard isOfCustomer else {
      // The refusal need not be stored: customer numbers are not reused within an epoch, so a repeated request is
      // refused again.
      return StoreRefusal(
        .accountGone, "The account \(quote.account), which confirmed this, was deleted. Nothing was charged.")
    }
    return nil
  }

  /// Whether the price, the storefront or the subscription has changed since the quote was made, so that the customer
  /// must confirm again.
  ///
  /// - Parameter current: the quote of the same payment now.
  func isStale(beside current: PaymentQuote) -> Bool { !current.chargesTheSame(as: quote) }
}

extension QuoteMaker {
  /// The customer for whom a quote was made.
  enum Owner: Equatable {
    case customer(CustomerNumber)
    /// A customer whom the previous version added. The quote identifies the customer only by the account name.
    case ofEarlierVersion

    /// Whether the owner is the customer who has the quote's account name now.
    ///
    /// - Parameter number: that customer's number; nil if no customer has the name now.
    func isCustomer(_ number: CustomerNumber?) -> Bool {
      switch self {
      case .customer(let own): number == own
      case .ofEarlierVersion: number?.isOfEarlierVersion == true
      }
    }
  }

  /// The customer for whom this store made `quote` on `installation`; nil if the store did not make the quote, or if
  /// the quote was changed.
  func owner(of quote: PaymentQuote, installation: InstallationID) throws -> Owner? {
    let code = [UInt8](quote.authenticationCode)
    let number = code.count > SHA256Digest.byteCount ? code.prefix(Self.numberLength) : []
    guard number.isEmpty || number.count == Self.numberLength else { return nil }
    let customer =
      number.isEmpty
      ? nil : CustomerNumber(rawValue: Int64(bitPattern: number.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    let isGenuine = HMAC<SHA256>.isValidAuthenticationCode(
      code.dropFirst(number.count), authenticating: try content(of: quote, customer, installation), using: key)
    guard isGenuine else { return nil }
    return customer.map(Owner.customer) ?? .ofEarlierVersion
  }

  private static let numberLength = MemoryLayout<Int64>.size
}
