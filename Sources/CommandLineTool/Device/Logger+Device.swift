import Foundation
import Logging

extension Logger {
  /// Writes to standard error; `LOG_LEVEL` says how much.
  static func device(of label: String = "device") -> Logger {
    var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = ProcessInfo.processInfo.environment["LOG_LEVEL"].flatMap(Level.init(rawValue:)) ?? .notice
    return logger
  }
}
