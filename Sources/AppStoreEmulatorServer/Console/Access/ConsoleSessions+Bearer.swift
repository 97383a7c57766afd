import HTTPTypes
import Hummingbird
import WebSupport

extension ConsoleSessions {
  /// Whether a request has the control token in `Authorization: Bearer …`.
  ///
  /// - Throws: ``ErrorResponse`` if the token is too long to be one, or the address has sent too many wrong tokens.
  func admits(bearerOf request: Request, from address: NetworkAddress?) throws(ErrorResponse) -> Bool {
    guard let token = try request.checkedBearerToken() else { return false }
    do throws(Refusal) {
      try check(token: token, from: address)
      return true
    } catch {
      guard case .tooManyAttempts(let seconds) = error else { return false }
      throw ErrorResponse(
        .tooManyRequests, "tooManyAttempts", "There were too many wrong tokens. Try again in \(seconds) seconds.",
        headers: [.retryAfter: "\(seconds)"])
    }
  }
}
