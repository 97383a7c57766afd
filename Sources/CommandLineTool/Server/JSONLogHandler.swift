import Foundation
import Logging
import ProgramSupport
import StoreModel

/// Writes each log message to standard error, as one line with a JSON object. Numbers and booleans in the metadata stay JSON
/// numbers and booleans.
struct JSONLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { writeError(line(event, at: SystemClock().now)) }

  /// Returns the line, which is written in one call, so that the lines of two threads do not mix.
  func line(_ event: LogEvent, at date: StoreDate) -> Data {
    var entry = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(Self.member)
    entry["time"] = date.description
    entry["level"] = event.level.rawValue
    entry["message"] = event.message.description
    // The object has only texts, numbers, booleans, lists and objects, which can always be encoded.
    let object = try? JSONSerialization.data(withJSONObject: entry, options: [.sortedKeys, .withoutEscapingSlashes])
    return (object ?? Data()) + Data("\n".utf8)
  }

  private static func member(_ value: Logger.Metadata.Value) -> Any {
    switch value {
    case .string(let text): text
    case .stringConvertible(let value): member(value)
    case .array(let values): values.map(member)
    case .dictionary(let values): values.mapValues(member)
    }
  }

  private static func member(_ value: any CustomStringConvertible & Sendable) -> Any {
    switch value {
    case let value as Bool: return value
    case let value as any BinaryInteger: return Int64(exactly: value) ?? value.description
    case let value as any BinaryFloatingPoint where Double(value).isFinite: return Double(value)
    default: return value.description
    }
  }
}
