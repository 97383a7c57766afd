import Foundation
import StoreModel

/// A reduced price for a subscription. Implements Apple's `SKProductDiscount`.
open class SKProductDiscount: NSObject, @unchecked Sendable {
  /// Implements Apple's `SKProductDiscount.PaymentMode`.
  public enum PaymentMode: UInt, Sendable {
    case payAsYouGo = 0
    case payUpFront = 1
    case freeTrial = 2
  }

  /// Implements Apple's `SKProductDiscount.Type`.
  public enum `Type`: UInt, Sendable {
    case introductory = 0
    case subscription = 1
  }

  private let offer: StoreModel.SubscriptionOffer?
  private let storedLocale: Locale

  public override init() {
    offer = nil
    storedLocale = Locale(identifier: "en_US")
    super.init()
  }

  init(_ offer: StoreModel.SubscriptionOffer, priceLocale: Locale) {
    self.offer = offer
    storedLocale = priceLocale
    super.init()
  }

  /// Nil for an introductory offer.
  open var identifier: String? { offer?.identifier }
  open var price: NSDecimalNumber { NSDecimalNumber(decimal: offer?.price.decimal ?? 0) }
  open var priceLocale: Locale { storedLocale }
  /// The length of one billing period of the offer.
  open var subscriptionPeriod: SKProductSubscriptionPeriod {
    offer.map { SKProductSubscriptionPeriod($0.period) } ?? SKProductSubscriptionPeriod()
  }
  open var numberOfPeriods: Int { offer?.numberOfPeriods ?? 0 }

  open var paymentMode: PaymentMode {
    switch offer?.paymentMode {
    case .payAsYouGo, nil: .payAsYouGo
    case .payUpFront: .payUpFront
    case .freeTrial: .freeTrial
    }
  }

  open var type: `Type` { offer?.kind == .introductory ? .introductory : .subscription }
}
