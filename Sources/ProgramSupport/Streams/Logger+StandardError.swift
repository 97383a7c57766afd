import Foundation
import Logging

extension Logger {
  /// Returns a logger that writes to standard error.
  ///
  /// - Parameters:
  ///   - label: the name of the program.
  ///   - level: the log level if `LOG_LEVEL` is not set.
  ///   - environment: the environment with `LOG_LEVEL`.
  package static func standardError(
    label: String, level: Level = .notice, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Logger {
    var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = Level.wanted(in: environment) ?? level
    if let text = Level.text(in: environment), Level.wanted(in: environment) == nil {
      logger.warning("\(Level.variable) is none of \(Level.allCases.map(\.rawValue)): \(text.debugDescription)")
    }
    return logger
  }
}

extension Logger.Level {
  fileprivate static let variable = "LOG_LEVEL"

  /// The value of ``variable``; nil if it is empty or missing.
  fileprivate static func text(in environment: [String: String]) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The log level in ``variable``; nil if its value is missing or is not a log level.
  fileprivate static func wanted(in environment: [String: String]) -> Logger.Level? {
    text(in: environment).flatMap { Logger.Level(rawValue: $0.lowercased()) }
  }

  /// Returns the log level of child processes: the level in `LOG_LEVEL`, otherwise `warning`.
  package static func ofPrograms(environment: [String: String] = ProcessInfo.processInfo.environment) -> Logger.Level {
    wanted(in: environment) ?? .warning
  }

  /// Returns the environment variables that set the log level of child processes.
  package static func variables(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    [variable: ofPrograms(environment: environment).rawValue]
  }
}
