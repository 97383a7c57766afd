import Foundation

/// A JSON text without the values of its secret members, and without strings that may contain JSON with such members. The
/// text may be cut off at any byte.
///
/// The text is parsed strictly (RFC 8259). The result ends before the first byte that is not valid JSON, because in a
/// text that is not JSON, a secret could be anywhere.
struct SecretRedaction {
  /// The members whose values are replaced, in lower case: the passwords of customers and of `verifyReceipt`, and the code
  /// with which the store recognizes its quotes.
  private static let names: Set<String> = ["password", "authenticationcode"]
  private static let replacement = Array(#""(redacted)""#.utf8)

  private enum Expected {
    case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, nothing
  }

  private let bytes: [UInt8]
  private var index = 0
  private(set) var redacted: [UInt8] = []
  /// Whether all bytes were read, so that nothing but secrets is missing.
  private(set) var isWhole = true

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    redacted.reserveCapacity(bytes.count)
    read()
    isWhole = index == bytes.count
  }

  /// Reads tokens until the end, or until the first token that is not allowed at its place.
  private mutating func read() {
    var containers: [UInt8] = []
    var expected = Expected.value
    var isSecret = false
    // The number of containers around a secret value that is being read; nil outside of secrets.
    var secretDepth: Int?
    while let first = nextToken(copiesBlanks: secretDepth == nil) {
      guard let token = token(first) else { return }
      let isHidden = secretDepth != nil
      switch (first, expected) {
      case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd), (UInt8(ascii: "["), .value),
        (UInt8(ascii: "["), .valueOrEnd):
        if isSecret, !isHidden { secretDepth = containers.count }
        containers.append(first)
        expected = first == UInt8(ascii: "{") ? .nameOrEnd : .valueOrEnd
      case (UInt8(ascii: "}"), .nameOrEnd), (UInt8(ascii: "}"), .commaOrEnd):
        guard containers.popLast() == UInt8(ascii: "{") else { return }
        expected = containers.isEmpty ? .nothing : .commaOrEnd
      case (UInt8(ascii: "]"), .valueOrEnd), (UInt8(ascii: "]"), .commaOrEnd):
        guard containers.popLast() == UInt8(ascii: "[") else { return }
        expected = containers.isEmpty ? .nothing : .commaOrEnd
      case (UInt8(ascii: ","), .commaOrEnd):
        expected = containers.last == UInt8(ascii: "{") ? .name : .value
      case (UInt8(ascii: ":"), .colon): expected = .value
      case (UInt8(ascii: "\""), .name), (UInt8(ascii: "\""), .nameOrEnd):
        if !isHidden { isSecret = Self.isSecret(token) }
        expected = .colon
      case (UInt8(ascii: ","), _), (UInt8(ascii: ":"), _), (UInt8(ascii: "{"), _), (UInt8(ascii: "["), _),
        (UInt8(ascii: "}"), _), (UInt8(ascii: "]"), _):
        return
      case (_, .value), (_, .valueOrEnd):
        if isSecret || Self.hasSecret(token), !isHidden { secretDepth = containers.count }
        expected = containers.isEmpty ? .nothing : .commaOrEnd
      default: return
      }
      index += token.count
      guard let depth = secretDepth else {
        redacted += token
        continue
      }
      if !isHidden { redacted += Self.replacement }
      if containers.count == depth { (secretDepth, isSecret) = (nil, false) }
    }
  }

  /// Skips white space. Returns the first byte of the next token; nil at the end.
  private mutating func nextToken(copiesBlanks: Bool) -> UInt8? {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) {
      if copiesBlanks { redacted.append(bytes[index]) }
      index += 1
    }
    return index < bytes.count ? bytes[index] : nil
  }

  /// The JSON token that begins at `index`; nil if there is no valid token. The last token may be cut off.
  private func token(_ first: UInt8) -> ArraySlice<UInt8>? {
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
      UInt8(ascii: ":"):
      return bytes[index...index]
    case UInt8(ascii: "\""): return string
    default:
      let word = bytes[index...].prefix { $0.isWordOfJSON }
      let text = String(decoding: word, as: UTF8.self)
      let isCut = word.endIndex == bytes.endIndex
      let isLiteral = ["true", "false", "null"].contains { isCut ? $0.hasPrefix(text) : $0 == text }
      let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      return !word.isEmpty && (isLiteral || isNumber) ? word : nil
    }
  }

  /// The string that begins at `index`, with its quotation marks.
  private var string: ArraySlice<UInt8>? {
    var end = index + 1
    while end < bytes.count {
      switch bytes[end] {
      case UInt8(ascii: "\""): return bytes[index...end]
      case UInt8(ascii: "\\"):
        guard end + 1 < bytes.count else { return bytes[index...] }
        guard #""\/bfnrtu"#.utf8.contains(bytes[end + 1]) else { return nil }
        end += 2
      case ..<0x20: return nil
      default: end += 1
      }
    }
    return bytes[index...]
  }

  /// Whether the text of a string may be JSON with a secret member: it contains the member's name and a quotation mark.
  private static func hasSecret(_ string: ArraySlice<UInt8>) -> Bool {
    guard string.first == UInt8(ascii: "\""), string.contains(UInt8(ascii: "\\")) else { return false }
    let text = String(decoding: string, as: UTF8.self).lowercased()
    return names.contains { text.contains($0 + #"\""#) }
  }

  /// - Parameter name: a JSON string with its quotation marks. It may contain escapes.
  private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    let text =
      name.contains(UInt8(ascii: "\\"))
      ? try? JSONDecoder().decode(String.self, from: Data(name))
      : String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
    // A name that cannot be decoded could be the name of a secret member.
    return text.map { names.contains($0.lowercased()) } ?? true
  }
}

extension UInt8 {
  /// Whether the byte continues a word: a number, `true`, `false` or `null`. All lower-case letters do, because the
  /// caller checks the word itself.
  fileprivate var isWordOfJSON: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
