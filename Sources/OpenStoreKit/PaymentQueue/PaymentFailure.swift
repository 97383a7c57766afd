import Foundation

/// Why a payment failed, in a form that survives a relaunch.
struct PaymentFailure: Error, Hashable, Codable, Sendable {
  let domain: String
  let code: Int
  /// Words for the person.
  let message: String
  /// What lies behind it, in words for the developer.
  let underlying: String?

  init(_ code: SKError.Code, _ message: String, underlying: String? = nil) {
    domain = SKErrorDomain
    self.code = code.rawValue
    self.message = message
    self.underlying = underlying
  }

  /// The error as an app sees it.
  var error: any Error {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let underlying {
      userInfo[NSLocalizedFailureReasonErrorKey] = underlying
      userInfo[NSUnderlyingErrorKey] = NSError(
        domain: "OpenStoreKit", code: 0, userInfo: [NSLocalizedDescriptionKey: underlying])
    }
    let error = NSError(domain: domain, code: code, userInfo: userInfo)
    return domain == SKErrorDomain ? SKError(_nsError: error) : error
  }
}
