import Foundation
import StoreModel

/// An error of StoreKit 2. Implements Apple's `StoreKitError`.
public enum StoreKitError: LocalizedError, Sendable {
  case unknown
  /// The customer has cancelled a sheet.
  case userCancelled
  /// The store cannot be reached, or did not answer.
  case networkError(URLError)
  /// An error of the device, or of the store in a domain of its own.
  case systemError(any Error)
  /// The product is not sold in the customer's storefront.
  case notAvailableInStorefront
  /// The app lacks the capability. It does not occur.
  case notEntitled
  /// This implementation does not have it.
  case unsupported

  public var errorDescription: String? {
    switch self {
    case .unknown: "An unknown error has occurred."
    case .userCancelled: "The request was cancelled."
    case .networkError: "The App Store cannot be reached."
    case .systemError(let error): "The App Store request failed: \(error)"
    case .notAvailableInStorefront: "The product is not available in your country or region."
    case .notEntitled: "The app is not entitled to use the App Store."
    case .unsupported: "The request is not supported."
    }
  }

  public var failureReason: String? {
    switch self {
    case .networkError(let error): error.localizedDescription
    case .systemError(let error): (error as? any LocalizedError)?.failureReason
    default: nil
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .networkError: "Check the network connection, and try again."
    case .unknown, .systemError: "Try again later."
    default: nil
    }
  }
}

extension StoreKitError {
  /// The error that an app receives from `purchase(options:)`: a ``StoreKitError`` or a `Product.PurchaseError`.
  /// Documentation/storekit2.md has the table, under "Errors".
  static func mapping(_ error: any Error) -> any Error {
    switch error {
    case is StoreKitError, is Product.PurchaseError: error
    case let failure as PaymentFailure: mapping(failure)
    case let refusal as StoreRefusal: mapping(PaymentFailure(refusal))
    case StoreConnectionFailure.unreachable: StoreKitError.networkError(URLError(.cannotConnectToHost))
    case StoreConnectionFailure.noAnswer: StoreKitError.networkError(URLError(.networkConnectionLost))
    case is StoreConnectionFailure: StoreKitError.networkError(URLError(.badServerResponse))
    case let error as URLError: StoreKitError.networkError(error)
    default: StoreKitError.systemError(error)
    }
  }

  /// The error that an app receives from all other functions.
  static func general(_ error: any Error) -> StoreKitError {
    let error = mapping(error)
    // `Product.PurchaseError` is of purchases only.
    return error as? StoreKitError ?? .unknown
  }

  private static func mapping(_ failure: PaymentFailure) -> any Error {
    switch failure.cause {
    case .noStore: return StoreKitError.networkError(URLError(.cannotConnectToHost))
    case .storefrontDeclined: return StoreKitError.notAvailableInStorefront
    case .invalidQuantity: return Product.PurchaseError.invalidQuantity
    case nil: break
    }
    guard failure.domain == SKErrorDomain else { return StoreKitError.systemError(failure.error) }
    return switch SKError.Code(rawValue: failure.code) {
    case .paymentCancelled: StoreKitError.userCancelled
    case .paymentNotAllowed: Product.PurchaseError.purchaseNotAllowed
    case .storeProductNotAvailable: Product.PurchaseError.productUnavailable
    case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
    case .invalidSignature: Product.PurchaseError.invalidOfferSignature
    case .missingOfferParams: Product.PurchaseError.missingOfferParameters
    case .invalidOfferPrice: Product.PurchaseError.invalidOfferPrice
    case .ineligibleForOffer: Product.PurchaseError.ineligibleForOffer
    default: StoreKitError.unknown
    }
  }
}
