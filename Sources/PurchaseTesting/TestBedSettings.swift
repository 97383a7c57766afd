import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel

/// The settings of a test session: those of the `.storekit` file, until a test changes them.
public struct TestBedSettings: Hashable, Sendable {
  /// Whether no sheets are shown. Without an effect here: nobody is there to answer a sheet, and the customer of the device
  /// (``TestDevice/customer``) answers all of them.
  public var disablesDialogs: Bool
  /// Whether each purchase waits for approval (Ask to Buy).
  public var asksToBuy: Bool
  /// Whether each purchase is interrupted, because the customer has something to settle first.
  public var interruptsPurchases: Bool
  /// How fast subscriptions renew, whether renewals can be charged, and the grace period.
  public var renewalRules: RenewalRules
  /// An alpha-3 country code, such as `USA`.
  public var storefront: String
  /// The locale of the products' texts.
  public var locale: Locale
  /// Whether each purchase fails with ``failureCode``.
  public var failsPurchases: Bool
  /// A code of `SKErrorDomain`.
  public var failureCode: Int

  /// The settings of a file.
  init(_ file: StoreKitConfiguration.Settings) {
    disablesDialogs = file.disableDialogs
    asksToBuy = file.askToBuyEnabled
    interruptsPurchases = file.billingIssuesEnabled
    renewalRules = RenewalRules(
      rate: file.timeRate.flatMap(RenewalRate.init(rawValue:)) ?? .realTime,
      gracePeriod: file.billingGracePeriodEnabled ? .standard : .off, renewalsFail: file.renewalBillingIssuesEnabled)
    storefront = file.storefront ?? Territory.usa.countryCode
    locale = Locale(identifier: file.locale ?? "en_US")
    failsPurchases = file.failTransactionsEnabled
    failureCode = file.storeKitError ?? 0
  }

  func change(_ customer: inout Customer) {
    customer.storefrontCountryCode = storefront
    customer.needsApproval = asksToBuy
    customer.paymentMethod = interruptsPurchases ? .needsAttention : .valid
  }

  func change(_ settings: inout StoreSettings) { settings.locale = locale.identifier }

  /// The error with which each purchase fails; nil for none.
  var purchaseError: AppError? { failsPurchases ? AppError(domain: SKErrorDomain, code: failureCode) : nil }
}
