import StoreModel

/// How a request ended, as its sender saw it.
public enum RequestOutcome: Hashable, Sendable {
  /// The request is not answered yet, or a fault holds it.
  case underWay
  case answered
  case refused(StoreRefusal.Code)
  /// The answer contains this status, such as 21003 of `verifyReceipt`.
  case status(Int)
  /// The answer was this HTTP status without a body.
  case serverError(Int)
  /// No answer was sent: the connection broke, or the caller gave up.
  case noAnswer
  /// The request failed because of an error in the store.
  case failed

  /// The outcome's name in JSON and in filters.
  public var name: Name {
    switch self {
    case .underWay: .underWay
    case .answered: .answered
    case .refused: .refused
    case .status: .status
    case .serverError: .serverError
    case .noAnswer: .noAnswer
    case .failed: .failed
    }
  }

  public enum Name: String, Hashable, Codable, Sendable, CaseIterable {
    case underWay, answered, refused, status, serverError, noAnswer, failed
  }

  /// The outcome of a request that ended with `error`.
  init(of error: any Error) {
    switch error {
    case let refusal as StoreRefusal: self = .refused(refusal.code)
    case let error as any BackendError: self = error.outcome
    case is StoreConnectionFailure, is AlteredAnswer, is CancellationError: self = .noAnswer
    default: self = .failed
    }
  }
}
