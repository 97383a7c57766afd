import StoreKit
import StoreModel

// The neutral values of StoreKit 1's objects.

extension StoreTransaction {
  /// Returns nil for a state of a later StoreKit.
  init?(_ transaction: SKPaymentTransaction) {
    let state: State
    switch transaction.transactionState {
    case .purchasing: state = .purchasing
    case .purchased: state = .purchased
    case .failed: state = .failed
    case .restored: state = .restored
    case .deferred: state = .deferred
    @unknown default: return nil
    }
    self.init(
      id: ID(transaction), state: state, productIdentifier: transaction.restoredProductIdentifier,
      quantity: transaction.payment.quantity, transactionIdentifier: transaction.transactionIdentifier,
      purchase: PaidPurchase(transaction), error: state == .failed ? transaction.error : nil)
  }
}

extension PaidPurchase {
  /// Returns nil for a transaction that is not paid: only `.purchased` and `.restored` have an identifier and a date.
  init?(_ transaction: SKPaymentTransaction) {
    let isRestored = transaction.transactionState == .restored
    guard isRestored || transaction.transactionState == .purchased, let identifier = transaction.transactionIdentifier,
      let date = transaction.original?.transactionDate ?? transaction.transactionDate
    else { return nil }
    self.init(
      transactionIdentifier: identifier,
      originalTransactionIdentifier: transaction.original?.transactionIdentifier,
      productIdentifier: transaction.restoredProductIdentifier,
      quantity: transaction.payment.quantity, date: date, isRestored: isRestored,
      legacyReceipt: transaction.transactionReceipt, revocationPercentage: transaction.refundedShare)
  }
}

extension SKPaymentTransaction {
  fileprivate var refundedShare: Int? {
    #if os(Linux)
      revocationPercentage
    #else
      nil
    #endif
  }

  /// The product identifier. For a restored transaction, it is read from the original transaction, as Apple's
  /// documentation recommends.
  fileprivate var restoredProductIdentifier: String {
    original?.payment.productIdentifier ?? payment.productIdentifier
  }
}

extension StorePayment {
  init(_ payment: SKPayment) {
    self.init(
      productIdentifier: payment.productIdentifier, offerIdentifier: payment.paymentDiscount?.identifier,
      skPayment: payment)
  }
}

extension StoreProduct {
  init(_ product: SKProduct) {
    self.init(
      productIdentifier: product.productIdentifier, localizedTitle: product.localizedTitle,
      localizedDescription: product.localizedDescription, displayPrice: product.displayPrice,
      price: product.price.decimalValue, currencyCode: product.priceLocale.currency?.identifier ?? "",
      subscriptionPeriod: product.subscriptionPeriod.flatMap(StorePeriod.init),
      introductoryOffer: product.introductoryPrice.flatMap(StoreIntroductoryOffer.init), skProduct: product,
      product: nil)
  }
}

extension StorePeriod {
  /// Returns nil for a unit of a later StoreKit.
  fileprivate init?(_ period: SKProductSubscriptionPeriod) {
    switch period.unit {
    case .day: unit = .day
    case .week: unit = .week
    case .month: unit = .month
    case .year: unit = .year
    @unknown default: return nil
    }
    value = period.numberOfUnits
  }
}

extension StoreIntroductoryOffer {
  /// Returns nil for a kind of payment of a later StoreKit.
  fileprivate init?(_ discount: SKProductDiscount) {
    guard let period = StorePeriod(discount.subscriptionPeriod) else { return nil }
    switch discount.paymentMode {
    case .payAsYouGo: paymentMode = .payAsYouGo
    case .payUpFront: paymentMode = .payUpFront
    case .freeTrial: paymentMode = .freeTrial
    @unknown default: return nil
    }
    displayPrice = discount.price.displayText(in: discount.priceLocale)
    self.period = period
    periodCount = discount.numberOfPeriods
  }
}
