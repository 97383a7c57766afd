/// Something that went wrong and that no transaction or request can carry to the app.
public enum StoreKitProblem: Hashable, Sendable, CustomStringConvertible {
  /// The journal on disk cannot be read or written.
  case journal(String)
  /// The store could not be reached or understood; what waits for it is tried again.
  case store(String)
  /// The receipt file cannot be written.
  case receipt(String)
  /// The app did something that has no effect.
  case misuse(String)

  public var description: String {
    switch self {
    case .journal(let reason), .store(let reason), .receipt(let reason), .misuse(let reason): reason
    }
  }
}
