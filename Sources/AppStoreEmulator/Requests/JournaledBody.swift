import StoreModel

/// The body of a request or of an answer as JSON text, without passwords and authentication codes.
public struct JournaledBody: Hashable, Sendable {
  /// The JSON text, at most ``largestSize`` bytes. If ``isCut`` is true, it may be incomplete JSON.
  public let json: String
  /// Whether the end of the body is missing in `json`, because the body is too long, or because that part is not valid
  /// JSON.
  public let isCut: Bool

  /// The maximum size of a body, in bytes.
  public static let largestSize = 16 << 10

  /// - Parameters:
  ///   - bytes: the body, or its first bytes: at least one more than ``largestSize``, or all of them.
  ///   - count: the size of the whole body, in bytes.
  init(_ bytes: some Collection<UInt8>, count: Int) {
    let start = Array(bytes.prefix(Self.largestSize))
    // JSON in UTF-16 has zero bytes. The redaction would not find the secrets in it.
    guard start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"), !start.contains(0) else {
      json = JSONText.string("\(count) bytes that are no JSON object in UTF-8")
      isCut = false
      return
    }
    let redaction = SecretRedaction(start)
    json = Self.text(redaction.redacted)
    isCut = count > start.count || redaction.redacted.count > Self.largestSize || !redaction.isWhole
  }

  /// The first bytes as text. A character that is cut off is omitted.
  private static func text(_ bytes: [UInt8]) -> String {
    let shown = bytes.prefix(largestSize)
    guard let lead = shown.suffix(3).lastIndex(where: { $0 >= 0xC0 }) else {
      return String(decoding: shown, as: UTF8.self)
    }
    let length = shown[lead] >= 0xF0 ? 4 : shown[lead] >= 0xE0 ? 3 : 2
    return String(decoding: lead + length > shown.endIndex ? shown[..<lead] : shown, as: UTF8.self)
  }
}

/// A request of the journal with its bodies.
public struct RequestDetails: Hashable, Sendable {
  public let request: JournaledRequest
  /// Nil if the journal no longer has it: bodies are kept for the newest requests only.
  public let requestBody: JournaledBody?
  /// Nil if there was no answer with a body, or if the journal no longer has it.
  public let answerBody: JournaledBody?
}
