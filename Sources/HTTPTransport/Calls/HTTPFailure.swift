import StoreModel

/// Thrown when a request gets no response, or not a complete one.
public enum HTTPFailure: DescribedError, Hashable, Sendable {
  /// The server cannot have received any part of the request.
  case unreachable(reason: String)
  /// The server may have received the request and acted on it.
  case noAnswer(reason: String)
  /// The response is not HTTP/1.1, or is longer than allowed.
  case unintelligible(reason: String)

  public var description: String {
    switch self {
    case .unreachable(let reason): "The server cannot be reached: \(reason)"
    case .noAnswer(let reason): "The server did not answer: \(reason)"
    case .unintelligible(let reason): "The server's answer cannot be understood: \(reason)"
    }
  }
}
