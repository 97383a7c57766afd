import SignedData
import StoreModel

// The errors of StoreKit 2 that a test session simulates, as the device has them.
extension SimulatedErrors {
  /// Sets the error of a kind of call.
  ///
  /// - Parameter error: nil for none.
  package func set(_ error: (any Error)?, for call: Call) {
    set(error, for: call, payment: error.map { PaymentFailure(simulating: $0) })
  }
}

extension PaymentFailure {
  /// The failure that an app of StoreKit 1 receives for an error of StoreKit 2 that a test session simulates.
  init(simulating error: any Error) {
    let code: SKError.Code =
      switch error {
      case StoreKitError.userCancelled: .paymentCancelled
      case StoreKitError.notAvailableInStorefront, Product.PurchaseError.productUnavailable: .storeProductNotAvailable
      case Product.PurchaseError.purchaseNotAllowed: .paymentNotAllowed
      case Product.PurchaseError.invalidQuantity: .paymentInvalid
      case Product.PurchaseError.ineligibleForOffer: .ineligibleForOffer
      case Product.PurchaseError.invalidOfferIdentifier: .invalidOfferIdentifier
      case Product.PurchaseError.invalidOfferPrice: .invalidOfferPrice
      case Product.PurchaseError.invalidOfferSignature: .invalidSignature
      case Product.PurchaseError.missingOfferParameters: .missingOfferParams
      default: .unknown
      }
    self.init(code, "A test session simulates a failed purchase.", underlying: "\(error)")
  }
}

extension VerificationFailure {
  /// The failure that is shown as a verification error.
  package init<SignedType>(simulating error: VerificationResult<SignedType>.VerificationError) {
    let fault: VerificationFailure.Fault =
      switch error {
      case .revokedCertificate, .invalidCertificateChain: .chain
      case .invalidDeviceVerification: .device
      case .invalidEncoding: .structure
      case .invalidSignature: .signature
      case .missingRequiredProperties: .bundle
      }
    self.init(fault: fault, detail: "a test session simulates it")
  }

  /// The verification error that an app sees.
  package func simulated<SignedType>(of type: SignedType.Type) -> VerificationResult<SignedType>.VerificationError {
    VerificationResult<SignedType>.VerificationError(self)
  }
}
