import Foundation
import Logging

/// Everything that was logged.
final class HeardLog: @unchecked Sendable {
  private let lock = NSLock()
  private var written: [String] = []

  var lines: [String] { lock.withLock { written } }

  /// A logger that leaves nothing out.
  var logger: Logger {
    var logger = Logger(label: "demo") { _ in Handler(log: self) }
    logger.logLevel = .trace
    return logger
  }

  private struct Handler: LogHandler {
    let log: HeardLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = "\(event.message) \((event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " "))"
      log.lock.withLock { log.written.append(line) }
    }
  }
}
