/// Thrown when the content of an answer cannot be used.
enum AnswerFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The answer has an invalid or missing value, which is an error of the store.
  case unreadable(String)
  /// The receipt belongs to another app.
  case wrongApp(String)
  /// A date is in the future. The store's answer or this server's clock is wrong.
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
