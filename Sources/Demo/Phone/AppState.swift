import SampleApp

/// The state of the app on a phone.
enum AppState: Hashable, Sendable {
  case notInstalled
  /// - Parameter reason: why the process ended; nil if it was not started yet.
  case stopped(reason: String?)
  /// The process runs, but does not serve its pages yet.
  case starting
  case running
  /// The app waits at this point, so that it can be force-quit there.
  case holding(HoldPoint)

  /// Whether the app serves its pages.
  var hasPages: Bool {
    switch self {
    case .running, .holding: true
    case .notInstalled, .stopped, .starting: false
    }
  }

  /// Whether there is a process.
  var isAlive: Bool { hasPages || self == .starting }

  var text: String {
    switch self {
    case .notInstalled: "Not installed"
    case .stopped: "Not running"
    case .starting: "Opening…"
    case .running: "Running"
    case .holding: "Waiting between charge and grant"
    }
  }
}
