import Foundation
import StoreModel

/// The errors that apps receive for failed requests to the store. Each can be cast to `NSError`, and has a domain and a
/// code of StoreKit.
enum StoreErrors {
  /// Connection errors become errors of `NSURLErrorDomain`, as with Apple's requests. Refusals become the errors that
  /// the store sent. All others, such as those of a device that is not configured, become `SKErrorDomain` 0 with the
  /// reason.
  static func appError(for error: any Error) -> any Error {
    switch error {
    case StoreConnectionFailure.unreachable: network(.cannotConnectToHost, "\(error)")
    case StoreConnectionFailure.noAnswer: network(.networkConnectionLost, "\(error)")
    case is StoreConnectionFailure: network(.badServerResponse, "\(error)")
    case let error as URLError: network(error.code, error.localizedDescription)
    case let refusal as StoreRefusal: PaymentFailure(refusal).error
    case let failure as PaymentFailure: failure.error
    case let error as SKError: error
    default: PaymentFailure.noStore("\(error)").error
    }
  }

  private static func network(_ code: URLError.Code, _ reason: String) -> NSError {
    NSError(
      domain: NSURLErrorDomain, code: code.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: "The App Store cannot be reached.", NSLocalizedFailureReasonErrorKey: reason,
      ])
  }
}
