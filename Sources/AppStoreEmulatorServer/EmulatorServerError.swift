import StoreModel

/// Thrown when the emulator's server cannot be created.
public enum EmulatorServerError: DescribedError, Hashable, Sendable {
  /// The server listens on other addresses than loopback, and there is no control token. It is required there, because
  /// the control API can change everything in the store.
  case controlTokenRequired(host: String)

  public var description: String {
    switch self {
    case .controlTokenRequired(let host):
      "Bound to \(host), the control API would be open to the network. Give --control-token, or bind to 127.0.0.1."
    }
  }
}
