/// Why there is no answer, or no whole one.
public enum HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing of the request can have arrived.
  case unreachable(reason: String)
  /// The request may have arrived, and been acted on.
  case noAnswer(reason: String)
  /// What answered does not speak HTTP/1.1, or says more than is taken.
  case unintelligible(reason: String)

  public var description: String {
    switch self {
    case .unreachable(let reason): "The server cannot be reached: \(reason)"
    case .noAnswer(let reason): "The server did not answer: \(reason)"
    case .unintelligible(let reason): "The server's answer cannot be understood: \(reason)"
    }
  }
}
