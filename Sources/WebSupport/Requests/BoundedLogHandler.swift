import Logging

/// Cuts messages and metadata to a number of bytes, and passes them on. What a client sends may end in a log.
package struct BoundedLogHandler: LogHandler {
  /// The maximum length of a message and of each metadata value, in bytes of UTF-8.
  package static let limit = 1_024

  private var next: any LogHandler

  package init(_ next: any LogHandler) { self.next = next }

  package var metadata: Logger.Metadata {
    get { next.metadata }
    set { next.metadata = newValue.mapValues(Self.bounded) }
  }

  package var metadataProvider: Logger.MetadataProvider? {
    get { next.metadataProvider }
    set { next.metadataProvider = newValue }
  }

  package var logLevel: Logger.Level {
    get { next.logLevel }
    set { next.logLevel = newValue }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { next[metadataKey: key] }
    set { next[metadataKey: key] = newValue.map(Self.bounded) }
  }

  package func log(event: LogEvent) {
    var event = event
    event.message = "\(Self.bounded(event.message.description))"
    event.metadata = event.metadata?.mapValues(Self.bounded)
    next.log(event: event)
  }

  private static func bounded(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
    let text = value.description
    return text.utf8.count <= limit ? value : .string(bounded(text))
  }

  /// The text, or its beginning and how long it was.
  package static func bounded(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    // A character that is cut in two becomes U+FFFD.
    return String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "… (\(text.utf8.count) bytes)"
  }
}

extension Logger {
  /// The same logger, whose messages and metadata are cut to ``BoundedLogHandler/limit``.
  package var bounded: Logger {
    guard !(handler is BoundedLogHandler) else { return self }
    let handler = BoundedLogHandler(handler)
    var logger = Logger(label: label) { _ in handler }
    logger.logLevel = logLevel
    return logger
  }
}
