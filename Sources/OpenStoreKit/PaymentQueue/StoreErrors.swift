import Foundation
import StoreModel

/// The errors that apps receive for failed requests to the store.
enum StoreErrors {
  /// Connection errors become errors of `NSURLErrorDomain`, as with Apple's requests. Refusals become the errors that
  /// the store sent.
  static func appError(for error: any Error) -> any Error {
    let code: URLError.Code
    switch error {
    case StoreConnectionFailure.unreachable: code = .cannotConnectToHost
    case StoreConnectionFailure.noAnswer: code = .networkConnectionLost
    case is StoreConnectionFailure: code = .badServerResponse
    case let refusal as StoreRefusal:
      return PaymentFailure(refusal).error
    case let failure as PaymentFailure:
      return failure.error
    default:
      return error
    }
    return NSError(
      domain: NSURLErrorDomain, code: code.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: "The App Store cannot be reached.",
        NSLocalizedFailureReasonErrorKey: "\(error)",
      ])
  }
}
