import Foundation
import SignedData

/// Why an app receipt is of no use.
public enum ReceiptError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// There is none on this device yet.
  case missing
  case unreadable(reason: String)
  /// It is not genuine, or not for this app, environment or device.
  case refused(VerificationFailure)
  /// It is genuine, and does not show the purchase.
  case notListed(productIdentifier: String)

  public var description: String {
    switch self {
    case .missing: "There is no app receipt on this device. Refresh it (SKReceiptRefreshRequest), or restore purchases."
    case .unreadable(let reason): "The app receipt cannot be read: \(reason). Refresh it (SKReceiptRefreshRequest)."
    case .refused(let failure): "The app receipt is not believed: \(failure). Refresh it (SKReceiptRefreshRequest)."
    case .notListed(let product): "The app receipt does not show \(product) yet. Refresh it (SKReceiptRefreshRequest)."
    }
  }

  public var errorDescription: String? { description }
}
