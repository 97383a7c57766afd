import Foundation
import OpenStoreKit
import StoreKit

/// The code of a failure. Implements Apple's opaque `_SKTestFailureCode`.
// swift-format-ignore: NoLeadingUnderscores
public struct _SKTestFailureCode: Equatable {
  /// The error that an app receives.
  let error: any Error

  /// Errors without `Equatable` are equal if their cases are, and, for errors of the network and the system, their codes.
  public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

  private var identity: String {
    switch error {
    case StoreKitError.networkError(let error): "networkError \(error.errorCode)"
    case StoreKitError.systemError(let error): "systemError \((error as NSError).domain) \((error as NSError).code)"
    default: "\(type(of: error)) \(error)"
    }
  }
}

/// A failure that a test session simulates. Implements Apple's `SKTestFailure`.
public protocol SKTestFailure: Equatable, Sendable {
  init?(_fromErrorCode: _SKTestFailureCode)
  var _errorCode: _SKTestFailureCode { get }
}

extension SKTestFailure {
  public static func == (left: Self, right: Self) -> Bool { left._errorCode == right._errorCode }
}

/// A kind of call that can be made to fail. Implements Apple's `FailableStoreKitAPI`.
public protocol FailableStoreKitAPI<Failure>: Sendable {
  associatedtype Failure: SKTestFailure
}

/// The failures of the kinds of calls. Implements Apple's `SKTestFailures`.
public enum SKTestFailures {
  /// Of `Product.products(for:)` and `SKProductsRequest`.
  public enum LoadProducts: SKTestFailure {
    case generic(StoreKitError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `Product.purchase(options:)` and `SKPaymentQueue.add(_:)`.
  public enum Purchase: SKTestFailure {
    case generic(StoreKitError)
    case purchase(Product.PurchaseError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      case let error as Product.PurchaseError: self = .purchase(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      case .purchase(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Signed transactions are shown as unverified, also in the lists.
  public enum Verification: SKTestFailure {
    case verification(VerificationResult<Any>.VerificationError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      guard let error = code.error as? VerificationResult<Any>.VerificationError else { return nil }
      self = .verification(error)
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .verification(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `AppStore.sync()`.
  public enum AppStoreSync: SKTestFailure {
    case generic(StoreKitError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `Product.SubscriptionInfo.status(for:)`.
  public enum SubscriptionStatus: SKTestFailure {
    case generic(StoreKitError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `AppTransaction.shared` and `AppTransaction.refresh()`.
  public enum AppTransaction: SKTestFailure {
    case generic(StoreKitError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `StoreKitDevice.subscriptions()` and `StoreKitDevice.changeSubscription(_:_:)`.
  public enum ManageSubscriptions: SKTestFailure {
    case generic(StoreKitError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `StoreKitDevice.beginRefundRequest(for:)`.
  public enum RefundRequest: SKTestFailure {
    case generic(StoreKitError)
    case refundRequest(Transaction.RefundRequestError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      case let error as Transaction.RefundRequestError: self = .refundRequest(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      case .refundRequest(let error): _SKTestFailureCode(error: error)
      }
    }
  }

  /// Of `StoreKitDevice.redeemOfferCode(_:among:)`.
  public enum OfferCodeRedeem: SKTestFailure {
    case generic(StoreKitError)

    public init?(_fromErrorCode code: _SKTestFailureCode) {
      switch code.error {
      case let error as StoreKitError: self = .generic(error)
      default: return nil
      }
    }

    public var _errorCode: _SKTestFailureCode {
      switch self {
      case .generic(let error): _SKTestFailureCode(error: error)
      }
    }
  }
}
