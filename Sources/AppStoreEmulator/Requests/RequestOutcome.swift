import StoreModel

/// How a request ended, as whoever sent it saw it.
public enum RequestOutcome: Hashable, Sendable {
  /// It is still under way, or held.
  case underWay
  case answered
  case refused(StoreRefusal.Code)
  /// The answer has this status, as those of `verifyReceipt` do.
  case status(Int)
  /// The answer was this HTTP status and nothing else.
  case serverError(Int)
  /// No answer was sent: the connection broke, or whoever asked gave up.
  case noAnswer
  /// The store itself failed.
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

  /// How a request ended that ended with `error`.
  init(of error: any Error) {
    switch error {
    case let refusal as StoreRefusal: self = .refused(refusal.code)
    case let failure as any BareHTTPFailure: self = .serverError(failure.httpStatus)
    case is StoreConnectionFailure, is CancellationError: self = .noAnswer
    default: self = .failed
    }
  }
}

/// An error that a caller gets as an HTTP status without a body.
protocol BareHTTPFailure: Error {
  var httpStatus: Int { get }
}
