import Foundation
import Logging
import StoreModel

/// Writes each line of the log as a JSON object, to standard error.
struct JSONLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var entry = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
    entry["time"] = SystemClock().now.description
    entry["level"] = event.level.rawValue
    entry["message"] = event.message.description
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard var line = try? encoder.encode(entry) else { return }
    line.append(0x0A)
    // In one call, so that lines of two threads do not mix.
    writeError(line)
  }
}
