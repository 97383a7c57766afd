import Foundation

/// A JSON value or a text that is expensive for a naive parser.
struct HostileValue: Sendable, CustomStringConvertible {
  let description: String
  /// Makes the value with about this number of bytes.
  let bytes: @Sendable (Int) -> [UInt8]

  init(_ description: String, _ text: @escaping @Sendable (Int) -> String) {
    self.description = description
    bytes = { Array(text($0).utf8) }
  }

  private init(_ description: String, bytes: @escaping @Sendable (Int) -> [UInt8]) {
    self.description = description
    self.bytes = bytes
  }

  /// Repeats `unit` as often as it fits.
  static func times(_ unit: String, _ size: Int) -> String {
    String(repeating: unit, count: max(1, size / unit.utf8.count))
  }

  /// Two marks of different classes alternately: the most expensive order for normalisation.
  static let marks = "\u{301}\u{316}"
  /// The maximum number of marks that is accepted.
  static let safeMarks = "a" + String(repeating: "\u{301}\u{316}", count: 15)

  /// Values of JSON members.
  static let json: [HostileValue] =
    [
      marks, safeMarks, "a", "\\n", "\\u0301\\u0316", "\\ud834\\udd65", "\u{1F1E9}", "e\u{301}", "\u{1F468}\u{200D}",
      "%CC%81", "-", ".",
    ]
    .map { unit in HostileValue("text of \(unit.debugDescription)") { "\"\(times(unit, $0))\"" } } + [
      HostileValue("numbers with fractions") { "[\(times("0.5,", $0))0]" },
      HostileValue("numbers that are too large") { "[\(times("99999999999999999999,", $0))0]" },
      HostileValue("numbers with exponents") { "[\(times("1e400,", $0))0]" },
      HostileValue("one long number") { times("1", $0) },
      HostileValue("one long fraction") { "0." + times("1", $0) },
      HostileValue("deep lists") { times("[", $0 / 2) + times("]", $0 / 2) },
      HostileValue("deep objects") { times("{\"a\":", $0 * 5 / 6) + "0" + times("}", $0 / 6) },
      HostileValue("numbers in deep objects with long names") { size in
        let depth = min(60, max(1, size / 200))
        let name = times("n", 80)
        return times("{\"\(name)\":", depth * 85) + "[\(times("0.5,", max(4, size - depth * 86)))0]"
          + String(repeating: "}", count: max(1, depth * 85 / 84))
      },
      HostileValue("empty objects") { "[\(times("{},", $0))0]" },
      HostileValue("empty lists") { "[\(times("[],", $0))0]" },
      HostileValue("many names") { size in
        "{\((0..<max(1, size / 12)).map { "\"k\($0)\":0" }.joined(separator: ","))}"
      },
      HostileValue("equal names") { "{\(times("\"k\":0,", $0))\"k\":0}" },
      HostileValue("names of marks") { size in
        "{\((0..<max(1, size / 75)).map { "\"\(safeMarks)\($0)\":0" }.joined(separator: ","))}"
      },
      HostileValue("one name of marks") { "{\"\(times(marks, $0))\":0}" },
      HostileValue("a text that does not end") { "\"" + times("a", $0) },
      HostileValue("white space") { times(" ", $0) + "0" },
      HostileValue("broken UTF-8", bytes: { [0x22] + Array(repeating: 0xCC, count: $0) + [0x22] }),
    ]
    + proofs.map { proof in
      HostileValue(
        "base64 of \(proof)",
        bytes: { size in
          [0x22] + Array(Data(proof.bytes(size * 3 / 4)).base64EncodedString().utf8) + [0x22]
        })
    } + [
      HostileValue("a JWS with marks in its header") { size in
        let header = Data("{\"\(times(marks, size * 3 / 4))\":1}".utf8).base64EncodedString()
          .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "\"\(header).e30.AAAA\""
      },
      HostileValue("a JWS of dots") { "\"\(times("a.", $0))\"" },
    ]

  /// Values of receipts.
  private static let proofs: [HostileValue] = [
    HostileValue("a legacy receipt with a key of marks") { "{ \"\(times(marks, $0))\" = \"x\"; }" },
    HostileValue("a legacy receipt with keys of marks") { size in
      let one = size / 200
      return "{" + (0..<200).map { "\"\(times(safeMarks, one))\($0)\" = \"x\";" }.joined() + "}"
    },
    HostileValue("a legacy receipt that does not end") { "{ \"" + times("\\\"", $0) },
    HostileValue("a legacy receipt with a legacy receipt in it") { size in
      let inner = Data("{ \"\(times(marks, size / 2))\" = \"x\"; }".utf8).base64EncodedString()
      return "{ \"purchase-info\" = \"\(inner)\"; \"signature\" = \"AAAA\"; }"
    },
    HostileValue(
      "DER of deep sequences", bytes: { Array(repeating: [0x30, 0x80], count: max(1, $0 / 2)).flatMap { $0 } }),
    HostileValue(
      "DER of empty sequences",
      bytes: { size in
        let body = Array(repeating: [0x30, 0x00] as [UInt8], count: max(1, size / 2)).flatMap { $0 }
        return [0x30, 0x83] + [UInt8(body.count >> 16 & 0xFF), UInt8(body.count >> 8 & 0xFF), UInt8(body.count & 0xFF)]
          + body
      }),
  ]

  /// Texts of header fields, which are one line.
  static let fields: [HostileValue] =
    [
      marks, safeMarks, "a", ",", "a,", "a-", ";", "a;q=0.5,", "\"", "\"a\",", "W/\"a\",", "=", "a=b; ", ".", ":", "/",
      " ", "1,", "0-1,", "::1,", "%CC%81", "\u{1F1E9}",
    ]
    .map { unit in HostileValue("\(unit.debugDescription)") { times(unit, $0) } }

  /// Parts of an address, with what must be percent-encoded.
  static let addresses: [HostileValue] =
    ["%CC%81%CC%96", "a%CC%81%CC%96", "a", "%2F", "%25", "+", ".", "-", "%F0%9F%87%A9", "%00", "%", "a.b."]
    .map { unit in HostileValue("\(unit.debugDescription)") { times(unit, $0) } }

  /// Queries.
  static let queries: [HostileValue] =
    ["a=1&", "&", "=", "a&", "search=%CC%81&", "%CC%81%CC%96", "bundleId=a&", "limit=1&", "?"]
    .map { unit in HostileValue("query of \(unit.debugDescription)") { times(unit, $0) } } + [
      HostileValue("search for marks") { "search=" + times("%CC%81%CC%96", $0) },
      HostileValue("search for text") { "search=" + times("a", $0) },
    ]
}

/// The bytes of values in sizes that repeat. To make a value can take longer than to send it.
final class HostileValueCache {
  private struct Key: Hashable {
    let value: String
    let size: Int
  }

  /// Larger ones are rare.
  private static let largest = 1 << 20
  private var values: [Key: [UInt8]] = [:]

  func bytes(of value: HostileValue, _ size: Int) -> [UInt8] {
    guard size <= Self.largest else { return value.bytes(size) }
    let key = Key(value: value.description, size: size)
    if let known = values[key] { return known }
    let bytes = value.bytes(size)
    values[key] = bytes
    return bytes
  }
}
