import Foundation
import Logging
import StoreModel

/// Records all log messages as text.
package final class LogBook: Sendable {
  private let written = LockedValue<[String]>([])

  package init() {}

  package var lines: [String] { written.value }

  fileprivate func write(_ line: String) { written.withLock { $0.append(line) } }

  /// A logger that records all levels.
  package var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(book: self) }
    logger.logLevel = .trace
    return logger
  }

  private struct Handler: LogHandler {
    let book: LogBook
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let pairs = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
      book.write("\(event.level) \(event.message) \(pairs.map { "\($0.key)=\($0.value)" }.joined(separator: " "))")
    }
  }
}
