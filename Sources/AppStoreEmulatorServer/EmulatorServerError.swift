import StoreModel

/// Thrown when the emulator's server cannot be created.
public enum EmulatorServerError: DescribedError, Hashable, Sendable {
  /// The server would listen on an address other than loopback without a control token. The token is required, because
  /// the control API can change everything in the store.
  case controlTokenRequired(host: String)

  public var description: String {
    switch self {
    case .controlTokenRequired(let host):
      "Bound to \(host), the control API would be open to the network. Give --control-token, or bind to 127.0.0.1."
    }
  }
}
