import Foundation
import StoreModel

/// A product in the store. Implements Apple's `SKProduct`.
open class SKProduct: NSObject, @unchecked Sendable {
  /// Implements Apple's `SKProduct.PeriodUnit`.
  public enum PeriodUnit: UInt, Sendable {
    case day = 0
    case week = 1
    case month = 2
    case year = 3
  }

  private let listing: ProductListing?

  public override init() {
    listing = nil
    super.init()
  }

  init(_ listing: ProductListing) {
    self.listing = listing
    super.init()
  }

  open var productIdentifier: String { listing?.productID.rawValue ?? "" }
  /// The title in the language of the storefront. May be empty.
  open var localizedTitle: String { listing?.displayName ?? "" }
  /// The description in the language of the storefront. May be empty.
  open var localizedDescription: String { listing?.productDescription ?? "" }

  /// The price in units of the currency of ``priceLocale``.
  open var price: NSDecimalNumber { NSDecimalNumber(decimal: listing?.price.amount.decimal ?? 0) }
  /// The locale of the storefront, for formatting the price.
  open var priceLocale: Locale { listing?.priceLocale ?? Locale(identifier: "en_US") }
  open var isFamilyShareable: Bool { listing?.isFamilyShareable ?? false }

  /// Always false, because Apple no longer hosts content.
  open var isDownloadable: Bool { false }
  /// The sizes of the content in bytes. Always empty.
  open var downloadContentLengths: [NSNumber] { [] }
  /// Always empty.
  open var downloadContentVersion: String { "" }

  /// The older name of ``isDownloadable`` on macOS.
  open var downloadable: Bool { isDownloadable }
  /// The older name of ``downloadContentLengths`` on macOS.
  open var contentLengths: [NSNumber] { downloadContentLengths }
  /// The older name of ``downloadContentVersion`` on macOS.
  open var contentVersion: String { downloadContentVersion }

  /// Present for auto-renewable subscriptions only.
  open var subscriptionGroupIdentifier: String? { listing?.subscription?.groupID.rawValue }
  /// Present for subscriptions only.
  open var subscriptionPeriod: SKProductSubscriptionPeriod? {
    (listing?.subscription?.period).map(SKProductSubscriptionPeriod.init)
  }

  /// The introductory offer, whether or not this customer is eligible.
  open var introductoryPrice: SKProductDiscount? { offers { $0.kind == .introductory }.first }
  /// The promotional offers. (Apple's documentation says that the introductory offer is included, but apps receive only
  /// promotional offers.)
  open var discounts: [SKProductDiscount] { offers { $0.kind == .promotional } }

  private func offers(_ isIncluded: (StoreModel.SubscriptionOffer) -> Bool) -> [SKProductDiscount] {
    guard let listing, let subscription = listing.subscription else { return [] }
    return subscription.offers.filter(isIncluded)
      .map { SKProductDiscount($0, priceLocale: listing.priceLocale) }
  }
}

/// A calendar duration. Implements Apple's `SKProductSubscriptionPeriod`.
open class SKProductSubscriptionPeriod: NSObject, @unchecked Sendable {
  private let period: CalendarPeriod?

  public override init() {
    period = nil
    super.init()
  }

  init(_ period: CalendarPeriod) {
    self.period = period
    super.init()
  }

  open var numberOfUnits: Int { period?.value ?? 0 }

  open var unit: SKProduct.PeriodUnit {
    switch period?.unit {
    case .day, nil: .day
    case .week: .week
    case .month: .month
    case .year: .year
    }
  }
}

// Code that shows prices sets the formatter's behaviour, as Apple's examples do. Foundation on Linux lacks the property.
extension NumberFormatter {
  /// Apple's versions of the formatter.
  public enum Behavior: UInt, Sendable {
    case `default` = 0
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case behavior10_0 = 1000
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case behavior10_4 = 1040
  }

  /// Always ``Behavior/behavior10_4``, the only behaviour that Foundation has. Setting it has no effect.
  public var formatterBehavior: Behavior {
    get { .behavior10_4 }
    set {}
  }
}
