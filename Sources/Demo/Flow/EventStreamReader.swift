import Foundation

/// Reads a stream of server-sent events as it comes (WHATWG HTML, section 9.2.6): what is between their blank lines.
struct EventStreamReader {
  /// What was sent, with its name.
  struct Event: Hashable, Sendable {
    var name = "message"
    var data = ""
  }

  /// What one event may hold; a stream that never ends its lines is no reason to fill the memory.
  static let largestEventBytes = 1 << 20

  /// The id that was sent last, with an event that is whole: what to say to go on from there. Empty where there was none.
  private(set) var lastEventID = ""

  private var rest: [UInt8] = []
  private var event = Event()
  private var lines: [String] = []
  private var id = ""

  /// - Parameter lastEventID: of the stream that this one goes on from.
  init(after lastEventID: String = "") { (self.lastEventID, id) = (lastEventID, lastEventID) }

  /// - Returns: the events that are whole now.
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
    // Whatever could not be said again in a header's line is no id.
    case "id": if value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { id = value }
    // A comment begins with a colon; waiting times are for browsers.
    default: break
    }
  }
}
