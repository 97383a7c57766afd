import HTTPTransport
import SignedData
import StoreModel

/// Thrown by ``AppStoreServerAPIClient``. Only `CancellationError` is thrown beside it.
public enum ServerAPIClientError: DescribedError {
  /// The store refuses the call.
  case refused(ServerAPIError)
  /// The store does not accept the token (HTTP status 401).
  case unauthorized(detail: String)
  /// Production does not accept the token (HTTP status 401). The sandbox does, and does not know the transaction. So it may be one
  /// of production. Production refuses all calls about an app that was never released.
  case unauthorizedInProduction(detail: String)
  /// An error status without an error code, for example of a proxy.
  case unexpectedStatus(Int, detail: String)
  /// The answer of a success cannot be read.
  case unreadableAnswer(detail: String)
  /// There is no answer.
  case noAnswer(HTTPFailure)
  /// No call is sent, because the endpoint failed several times or asked for a pause.
  case paused(retryAfterSeconds: Int)
  /// The signed data in the answer is refused.
  case unverified(VerificationFailure)
  /// The store says that there are more pages, and gives the token of the page that it has just answered.
  case pagesDoNotAdvance(token: String)
  /// The call cannot be sent: its values or the key cannot be written.
  case unusableCall(detail: String)

  /// The error code of the store; nil if there is none, or this version does not know it.
  public var code: ServerAPIErrorCode? {
    guard case .refused(let error) = self else { return nil }
    return error.code
  }

  public var description: String {
    switch self {
    case .refused(let error): "The store refuses the call: \(error)"
    case .unauthorized(let detail):
      "The store does not accept the token (HTTP 401). Check key, key id, issuer id and bundle id, and this machine's "
        + "clock. In production, the app must have been released once. It answers: \(detail)"
    case .unauthorizedInProduction(let detail):
      "Production does not accept the token (HTTP 401), but the sandbox does. Was the app never released? It answers: \(detail)"
    case .unexpectedStatus(let status, let detail): "The store answers with HTTP \(status): \(detail)"
    case .unreadableAnswer(let detail): "The store's answer cannot be read: \(detail)"
    case .noAnswer(let failure): failure.description
    case .paused(let seconds): "The store failed, or asked for a pause. Try again in \(seconds) s."
    case .unverified(let failure): "The signed data in the answer is refused: \(failure)"
    case .pagesDoNotAdvance(let token): "The store gives the same page again (\(token.prefix(80)))."
    case .unusableCall(let detail): "The call cannot be sent: \(detail)"
    }
  }
}
