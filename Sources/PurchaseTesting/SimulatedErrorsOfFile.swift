import AppStoreEmulator
import Foundation
import OpenStoreKit
import SignedData

extension StoreKitConfiguration.SimulatedError {
  /// Makes the device's calls fail as the file says.
  ///
  /// Apple does not publish what `type` and `index` mean. Here, `index` is the position of the case in the declaration of
  /// `StoreKitError`, `Product.PurchaseError`, `VerificationError` or `RefundRequestError` [?]. Without them, it is
  /// `StoreKitError.unknown`, or `invalidSignature` for the verification.
  func apply(to errors: SimulatedErrors) {
    guard name != "Verification" else {
      let failures: [VerificationResult<Transaction>.VerificationError] = [
        .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding, .invalidSignature,
        .missingRequiredProperties,
      ]
      let failure = index.flatMap { failures.indices.contains($0) ? failures[$0] : nil } ?? .invalidSignature
      errors.verification = VerificationFailure(simulating: failure)
      return
    }
    // A name that is not known here has caused a warning.
    if let call = Self.calls[name] { errors.set(error, for: call) }
  }

  private static let calls: [String: SimulatedErrors.Call] = [
    "Load Products": .loadProducts, "Purchase": .purchase, "App Store Sync": .appStoreSync,
    "Subscription Status": .subscriptionStatus, "App Transaction": .appTransaction,
    "Manage Subscriptions Sheet": .manageSubscriptions, "Refund Request Sheet": .refundRequest,
    "Offer Code Redeem Sheet": .offerCodeRedeem,
  ]

  private var error: any Error {
    let errors: [any Error] =
      switch type {
      case "purchase":
        [
          Product.PurchaseError.invalidQuantity, Product.PurchaseError.productUnavailable,
          Product.PurchaseError.purchaseNotAllowed, Product.PurchaseError.ineligibleForOffer,
          Product.PurchaseError.invalidOfferIdentifier, Product.PurchaseError.invalidOfferPrice,
          Product.PurchaseError.invalidOfferSignature, Product.PurchaseError.missingOfferParameters,
        ]
      case "refundRequest": [Transaction.RefundRequestError.duplicateRequest, Transaction.RefundRequestError.failed]
      default:
        [
          StoreKitError.unknown, StoreKitError.userCancelled,
          StoreKitError.networkError(URLError(.notConnectedToInternet)),
          StoreKitError.systemError(NSError(domain: SKErrorDomain, code: SKError.Code.unknown.rawValue)),
          StoreKitError.notAvailableInStorefront, StoreKitError.notEntitled, StoreKitError.unsupported,
        ]
      }
    return index.flatMap { errors.indices.contains($0) ? errors[$0] : nil } ?? StoreKitError.unknown
  }
}
