/// Why the emulator's server does not start.
public enum EmulatorServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whoever can reach the control door can do everything.
  case controlTokenRequired(host: String)

  public var description: String {
    switch self {
    case .controlTokenRequired(let host):
      "Bound to \(host), the control door would be open to the network. Give --control-token, or bind to 127.0.0.1."
    }
  }
}
