import StoreKit

/// The errors that the library reports to its users instead of StoreKit's.
public enum PurchaseError: Error, Equatable {
  case cancelled
  case notAllowed
  case invalid
  case productNotAvailable
  case offer
  case network
  case store(domain: String, code: Int)

  public init(_ error: Error) {
    if let error = error as? SKError {
      self.init(error.code, error)
    } else {
      let error = error as NSError
      self = error.domain == NSURLErrorDomain ? .network : .store(domain: error.domain, code: error.code)
    }
  }

  private init(_ code: SKError.Code, _ error: SKError) {
    switch code {
    case .unknown:
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
      self = .store(domain: cause.domain, code: cause.code)
    case .paymentCancelled, .overlayCancelled:
      self = .cancelled
    case .clientInvalid, .paymentNotAllowed, .cloudServicePermissionDenied, .cloudServiceRevoked,
      .privacyAcknowledgementRequired:
      self = .notAllowed
    case .paymentInvalid, .unauthorizedRequestData:
      self = .invalid
    case .storeProductNotAvailable:
      self = .productNotAvailable
    case .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice, .ineligibleForOffer:
      self = .offer
    case .cloudServiceNetworkConnectionFailed, .overlayTimeout:
      self = .network
    case .overlayInvalidConfiguration, .unsupportedPlatform, .overlayPresentedInBackgroundScene:
      self = .store(domain: SKErrorDomain, code: code.rawValue)
    case .paymentMethodBindingConfigurationRequired:
      self = .notAllowed
    @unknown default:
      self = .store(domain: SKError.errorDomain, code: code.rawValue)
    }
  }
}
