import Foundation
import Logging

extension Logger {
  /// A program's log, on standard error.
  ///
  /// - Parameters:
  ///   - label: what the program is called.
  ///   - level: how much it says where `LOG_LEVEL` says nothing.
  ///   - environment: where `LOG_LEVEL` is.
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

  /// What is said; nil where that is nothing.
  fileprivate static func text(in environment: [String: String]) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// How much whoever started this program wants to be told; nil where they did not say.
  fileprivate static func wanted(in environment: [String: String]) -> Logger.Level? {
    text(in: environment).flatMap { Logger.Level(rawValue: $0.lowercased()) }
  }

  /// How much programs log that this one runs: they warn, and say more where that is wanted.
  package static func ofPrograms(environment: [String: String] = ProcessInfo.processInfo.environment) -> Logger.Level {
    wanted(in: environment) ?? .warning
  }

  /// What is added to the environment of programs that this one runs.
  package static func variables(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    [variable: ofPrograms(environment: environment).rawValue]
  }
}
