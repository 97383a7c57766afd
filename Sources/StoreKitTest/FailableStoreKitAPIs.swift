import OpenStoreKit

// The kinds of calls that can be made to fail, each with its shorthand, as Apple declares them.

public struct StoreKitLoadProductsAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.LoadProducts
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitLoadProductsAPI {
  public static var loadProducts: StoreKitLoadProductsAPI { StoreKitLoadProductsAPI() }
}

public struct StoreKitPurchaseAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.Purchase
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitPurchaseAPI {
  public static var purchase: StoreKitPurchaseAPI { StoreKitPurchaseAPI() }
}

public struct StoreKitVerificationAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.Verification
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitVerificationAPI {
  public static var verification: StoreKitVerificationAPI { StoreKitVerificationAPI() }
}

public struct StoreKitAppStoreSyncAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.AppStoreSync
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitAppStoreSyncAPI {
  public static var appStoreSync: StoreKitAppStoreSyncAPI { StoreKitAppStoreSyncAPI() }
}

public struct StoreKitSubscriptionStatusAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.SubscriptionStatus
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitSubscriptionStatusAPI {
  public static var subscriptionStatus: StoreKitSubscriptionStatusAPI { StoreKitSubscriptionStatusAPI() }
}

public struct StoreKitAppTransactionAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.AppTransaction
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitAppTransactionAPI {
  public static var appTransaction: StoreKitAppTransactionAPI { StoreKitAppTransactionAPI() }
}

public struct StoreKitManageSubscriptionsAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.ManageSubscriptions
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitManageSubscriptionsAPI {
  public static var manageSubscriptions: StoreKitManageSubscriptionsAPI { StoreKitManageSubscriptionsAPI() }
}

public struct StoreKitRefundRequestAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.RefundRequest
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitRefundRequestAPI {
  public static var refundRequest: StoreKitRefundRequestAPI { StoreKitRefundRequestAPI() }
}

public struct StoreKitOfferCodeRedeemAPI: FailableStoreKitAPI {
  public typealias Failure = SKTestFailures.OfferCodeRedeem
  public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitOfferCodeRedeemAPI {
  public static var offerCodeRedeem: StoreKitOfferCodeRedeemAPI { StoreKitOfferCodeRedeemAPI() }
}

extension FailableStoreKitAPI {
  /// The calls that fail; nil for the verification, which is no call.
  var call: SimulatedErrors.Call? {
    switch self {
    case is StoreKitLoadProductsAPI: .loadProducts
    case is StoreKitPurchaseAPI: .purchase
    case is StoreKitAppStoreSyncAPI: .appStoreSync
    case is StoreKitSubscriptionStatusAPI: .subscriptionStatus
    case is StoreKitAppTransactionAPI: .appTransaction
    case is StoreKitManageSubscriptionsAPI: .manageSubscriptions
    case is StoreKitRefundRequestAPI: .refundRequest
    case is StoreKitOfferCodeRedeemAPI: .offerCodeRedeem
    default: nil
    }
  }
}
