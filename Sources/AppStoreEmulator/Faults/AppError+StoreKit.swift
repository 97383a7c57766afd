import StoreModel

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
