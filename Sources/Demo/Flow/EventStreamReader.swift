import Foundation

/// Parses a stream of server-sent events (WHATWG HTML, section 9.2.6).
struct EventStreamReader {
  /// An event, with its name and data.
  struct Event: Hashable, Sendable {
    var name = "message"
    var data = ""
  }

  /// The maximum size of an event in bytes. Limits the memory that a stream without line feeds can take.
  static let largestEventBytes = 1 << 20

  /// The id of the last complete event, to be sent as `Last-Event-ID` on reconnection. Empty if there was no id.
  private(set) var lastEventID = ""

  private var rest: [UInt8] = []
  private var event = Event()
  private var lines: [String] = []
  private var id = ""

  /// - Parameter lastEventID: the last id of the interrupted stream that this one continues.
  init(after lastEventID: String = "") { (self.lastEventID, id) = (lastEventID, lastEventID) }

  /// Adds received bytes, and returns the events that they complete.
  ///
  /// - Throws: ``DemoFailure`` if an event is larger than ``largestEventBytes``.
  mutating func add(_ bytes: some Sequence<UInt8>) throws -> [Event] {
    rest += bytes
    var events: [Event] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      var line = String(decoding: rest[..<end], as: UTF8.self)
      if line.hasSuffix("\r") { line.removeLast() }
      rest.removeSubrange(...end)
      if line.isEmpty {
        event.data = lines.joined(separator: "\n")
        if !lines.isEmpty { events.append(event) }
        lastEventID = id
        (event, lines) = (Event(), [])
      } else {
        read(line)
      }
    }
    guard rest.count + lines.reduce(0, { $0 + $1.utf8.count }) <= Self.largestEventBytes else {
      throw DemoFailure("An event is larger than \(Self.largestEventBytes) bytes.")
    }
    return events
  }

  private mutating func read(_ line: String) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]) : ""
    switch parts[0] {
    case "event": event.name = value
    case "data": lines.append(value)
    // An id must fit into an HTTP header, so other ids are ignored.
    case "id": if value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { id = value }
    // Comments, which begin with a colon, are ignored, and so is `retry`, which is for browsers.
    default: break
    }
  }
}
