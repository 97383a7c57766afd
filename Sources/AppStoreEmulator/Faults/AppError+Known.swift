import StoreModel

/// Errors of the real App Store that `SKError` does not list.
extension AppError {
  /// `SKErrorDomain` 0, "Cannot connect to iTunes Store".
  public static let cannotConnectToStore = AppError(domain: "SKErrorDomain", code: 0)
  /// `SSServerErrorDomain` 5002, "An unknown error has occurred".
  public static let unknownServerError = AppError(domain: "SSServerErrorDomain", code: 5002)
  /// `SSServerErrorDomain` 5020, "Forget Your Password?".
  public static let forgottenPassword = AppError(domain: "SSServerErrorDomain", code: 5020)
  /// `SKErrorDomain` 907 with the underlying error `AMSErrorDomain` 6. The real store sends it when the customer
  /// cancelled.
  public static let failedPaymentSheet = AppError(
    domain: "SKErrorDomain", code: 907, underlying: Underlying(domain: "AMSErrorDomain", code: 6))
  /// `ASDServerErrorDomain` 3532: the customer is already subscribed.
  public static let alreadySubscribed = AppError(domain: "ASDServerErrorDomain", code: 3532)
}

extension AppError {
  /// The name of a code of `SKErrorDomain`, as in `SKError.Code`.
  public struct StoreKitCode: Hashable, Sendable {
    public let code: Int
    public let name: String
  }

  /// The codes of `SKError.Code`, in their order.
  public static let storeKitCodes: [StoreKitCode] = [
    "unknown", "clientInvalid", "paymentCancelled", "paymentInvalid", "paymentNotAllowed", "storeProductNotAvailable",
    "cloudServicePermissionDenied", "cloudServiceNetworkConnectionFailed", "cloudServiceRevoked",
    "privacyAcknowledgementRequired", "unauthorizedRequestData", "invalidOfferIdentifier", "invalidSignature",
    "missingOfferParams", "invalidOfferPrice", "overlayCancelled", "overlayInvalidConfiguration", "overlayTimeout",
    "ineligibleForOffer", "unsupportedPlatform", "overlayPresentedInBackgroundScene",
    "paymentMethodBindingConfigurationRequired",
  ].enumerated().map { StoreKitCode(code: $0, name: $1) }

  /// The domains of errors that apps receive from the App Store or from the network.
  public static let usualDomains = ["SKErrorDomain", "SSServerErrorDomain", "ASDServerErrorDomain", "NSURLErrorDomain"]
}
