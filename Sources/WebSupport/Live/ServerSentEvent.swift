/// One message of an event stream (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
  /// The event type for which a page's script listens.
  package let name: String
  package let data: String
  /// The id that the browser sends as `Last-Event-ID` when it reconnects; nil for an event without id.
  package let id: Int?

  package init(name: String, data: String, id: Int? = nil) {
    self.name = name
    self.data = data
    self.id = id
  }

  /// The event in the stream's format.
  package var text: String {
    let lines = data.split(omittingEmptySubsequences: false) { $0.isNewline }
    return (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
  }
}
