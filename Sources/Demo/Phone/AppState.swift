import SampleApp

/// How the app on a phone is doing.
enum AppState: Hashable, Sendable {
  case notInstalled
  /// - Parameter reason: why it ended; nil where it was not started yet.
  case stopped(reason: String?)
  /// Its process runs, and its pages cannot be asked for yet.
  case starting
  case running
  /// It waits there, to be force-quit.
  case holding(HoldPoint)

  /// Whether its pages can be asked for.
  var hasPages: Bool {
    switch self {
    case .running, .holding: true
    case .notInstalled, .stopped, .starting: false
    }
  }

  /// Whether there is a process.
  var isAlive: Bool { hasPages || self == .starting }

  var words: String {
    switch self {
    case .notInstalled: "Not installed"
    case .stopped: "Not running"
    case .starting: "Opening…"
    case .running: "Running"
    case .holding: "Waiting between charge and grant"
    }
  }
}
