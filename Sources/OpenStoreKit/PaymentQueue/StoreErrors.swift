import Foundation
import StoreModel

/// What an app is told where a request to the store came to nothing.
enum StoreErrors {
  /// Network trouble is told in the domain Apple's requests tell it in, a refusal as the store put it.
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
