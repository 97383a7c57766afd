/// A problem that cannot be reported to the app by a transaction or a request.
public enum StoreKitProblem: Hashable, Sendable, CustomStringConvertible {
  /// The journal on disk cannot be read or written.
  case journal(String)
  /// The store could not be reached, or its answer was not understood. The operation is retried.
  case store(String)
  /// The receipt file cannot be written.
  case receipt(String)
  /// The app made a call that has no effect.
  case misuse(String)

  public var description: String {
    switch self {
    case .journal(let reason), .store(let reason), .receipt(let reason), .misuse(let reason): reason
    }
  }
}
