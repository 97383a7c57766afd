/// One message of an event stream (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
  /// What listeners listen for.
  package let name: String
  package let data: String
  /// What a browser says it has heard last, when it comes back; nil for nothing.
  package let id: Int?

  package init(name: String, data: String, id: Int? = nil) {
    self.name = name
    self.data = data
    self.id = id
  }

  /// What is sent.
  package var text: String {
    let lines = data.split(omittingEmptySubsequences: false) { $0.isNewline }
    return (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
  }
}
