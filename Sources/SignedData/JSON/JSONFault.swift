/// Where and why a text is not the JSON (RFC 8259) that was expected.
struct JSONFault: Error, Hashable, CustomStringConvertible {
  /// In bytes from the start.
  let offset: Int
  let reason: String

  var description: String { "at byte \(offset): \(reason)" }
}
