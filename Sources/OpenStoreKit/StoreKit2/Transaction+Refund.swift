import Foundation

// Apple's `beginRefundRequest` needs a window. On Linux, it is `StoreKitDevice.beginRefundRequest(for:)`.
extension Transaction {
  /// Why a refund could not be requested. Implements Apple's `Transaction.RefundRequestError`.
  public enum RefundRequestError: Equatable, Hashable, Sendable, LocalizedError {
    /// A request for this purchase is not decided yet.
    case duplicateRequest
    /// The purchase cannot be refunded.
    case failed

    public var errorDescription: String? {
      switch self {
      case .duplicateRequest: "A refund was requested already."
      case .failed: "The refund could not be requested."
      }
    }

    public var failureReason: String? {
      switch self {
      case .duplicateRequest: "The App Store has not decided the earlier request yet."
      case .failed: "The purchase cannot be refunded, or was refunded already."
      }
    }

    public var recoverySuggestion: String? { self == .duplicateRequest ? "Wait for the decision." : nil }
  }

  /// How a request for a refund has ended. Implements Apple's `Transaction.RefundRequestStatus`.
  public enum RefundRequestStatus: Equatable, Hashable, Sendable {
    /// The request was made. It is decided later.
    case success
    case userCancelled
  }
}
