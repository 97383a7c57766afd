/// Why the contents of an answer are of no use.
enum AnswerFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The store's fault: what it wrote is not what it should be.
  case unreadable(String)
  /// The receipt is another app's.
  case wrongApp(String)
  /// The store's fault, or that of this server's clock: a date that lies in the future.
  case dateAhead(String)

  var description: String {
    switch self {
    case .unreadable(let detail): "The store's answer cannot be read: \(detail)."
    case .wrongApp(let detail): "The receipt is another app's: \(detail)."
    case .dateAhead(let detail):
      "The store's answer is dated ahead of this server's clock: \(detail). Is the clock right?"
    }
  }
}
