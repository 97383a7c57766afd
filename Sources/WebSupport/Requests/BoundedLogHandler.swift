import Logging

/// Shortens log messages and metadata to a maximum length, and passes them on. They may contain texts of clients.
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

  /// Returns the text, shortened and with its original length if it is too long.
  package static func bounded(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    // A character that is cut in two becomes U+FFFD.
    return String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "… (\(text.utf8.count) bytes)"
  }
}

extension Logger {
  /// The same logger, with messages and metadata shortened to ``BoundedLogHandler/limit``.
  package var bounded: Logger {
    guard !(handler is BoundedLogHandler) else { return self }
    let handler = BoundedLogHandler(handler)
    var logger = Logger(label: label) { _ in handler }
    logger.logLevel = logLevel
    return logger
  }
}
