import Foundation

/// Replaces the values of secret members in a JSON text. The text may be cut off at any byte.
///
/// It works on text, because a text that is cut off cannot be parsed.
struct SecretRedaction {
  /// The members whose values are replaced: the passwords of customers and of `verifyReceipt`, and the code with which
  /// the store recognizes its quotes.
  private static let names: Set<String> = ["password", "authenticationCode"]
  private static let replacement = Array(#""(redacted)""#.utf8)

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var redacted: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\"") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      let end = endOfString(from: index)
      let name = bytes[index..<end]
      result += name
      index = end
      let colon = afterBlanks(index)
      guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"), Self.isSecret(name) else { continue }
      let value = afterBlanks(colon + 1)
      result += bytes[index..<value]
      if value < bytes.count { result += Self.replacement }
      index = endOfValue(from: value)
    }
    return result
  }

  /// - Parameter name: a JSON string with its quotation marks. It may contain escapes.
  private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.contains(UInt8(ascii: "\\")) else {
      return names.contains(String(decoding: name.dropFirst().dropLast(), as: UTF8.self))
    }
    return (try? JSONDecoder().decode(String.self, from: Data(name))).map(names.contains) ?? false
  }

  private func afterBlanks(_ start: Int) -> Int {
    var index = start
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    return index
  }

  /// The index after the string that begins at `start`.
  private func endOfString(from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return bytes.count
  }

  /// The index after the value that begins at `start`.
  private func endOfValue(from start: Int) -> Int {
    var (index, depth) = (start, 0)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(from: index)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","):
        if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return bytes.count
  }
}
