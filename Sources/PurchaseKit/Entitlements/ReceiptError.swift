import Foundation
import SignedData
import StoreModel

/// Thrown when an app receipt, or the signed transactions, cannot be used.
public enum ReceiptError: DescribedError, Hashable, Sendable {
  /// There is no receipt and no signed transaction on this device yet, or the trusted root certificates are not known yet.
  case missing
  case unreadable(reason: String)
  /// The receipt or a transaction is not genuine, or is for another app, environment or device.
  case refused(VerificationFailure)
  /// The proof is genuine, but does not contain the purchase.
  case notListed(productIdentifier: String)

  public var description: String {
    switch self {
    case .missing: "There is no app receipt on this device. Refresh it (SKReceiptRefreshRequest), or restore purchases."
    case .unreadable(let reason): "The app receipt cannot be read: \(reason). Refresh it (SKReceiptRefreshRequest)."
    case .refused(let failure):
      "The app receipt could not be verified: \(failure). Refresh it (SKReceiptRefreshRequest)."
    case .notListed(let product): "The app receipt does not show \(product) yet. Refresh it (SKReceiptRefreshRequest)."
    }
  }
}
