/// Thrown if a text is not the expected JSON (RFC 8259).
struct JSONFault: Error, Hashable, CustomStringConvertible {
  /// The position in bytes from the start.
  let offset: Int
  let reason: String
  /// The name of a member that occurs twice, if that is the reason.
  var repeatedName: String?
  /// Whether the text up to there is JSON by its grammar, and is refused for another reason.
  var isJSON = false

  var description: String { "at byte \(offset): \(reason)" }
}
