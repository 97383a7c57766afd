import Foundation
import StoreModel

@testable import SignedData

/// A document as a tree, built by the pull reader, to compare with Foundation's.
indirect enum JSONTree: Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  static func read(_ bytes: [UInt8]) throws -> JSONTree {
    try bytes.withUnsafeBufferPointer { bytes in
      try JSONReader.read(bytes) { (reader) throws(JSONFault) in try value(&reader) }
    }
  }

  private static func value(_ reader: inout JSONReader) throws(JSONFault) -> JSONTree {
    switch reader.next() {
    case UInt8(ascii: "{"):
      var members: [String: JSONTree] = [:]
      try reader.members { (reader, key) throws(JSONFault) in
        let name = key.text
        members[name] = try value(&reader)
      }
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [JSONTree] = []
      try reader.elements { (reader) throws(JSONFault) in elements.append(try value(&reader)) }
      return .array(elements)
    case UInt8(ascii: "\""): return .string(try reader.string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try reader.bool())
    case UInt8(ascii: "n") where reader.isNull(): return .null
    default: return .number(try reader.rawValue())
    }
  }

  func isEqual(to other: Any) -> Bool {
    switch self {
    case .null: return other is NSNull
    case .bool(let value): return (other as? Bool) == value
    case .number(let text):
      guard let number = other as? NSNumber else { return false }
      if let integer = Int64(text) { return number.int64Value == integer }
      return Double(text) == number.doubleValue
    case .string(let value): return (other as? String) == value
    case .array(let values):
      guard let others = other as? [Any], others.count == values.count else { return false }
      return zip(values, others).allSatisfy { $0.isEqual(to: $1) }
    case .object(let members):
      guard let others = other as? [String: Any], others.count == members.count else { return false }
      return members.allSatisfy { name, value in others[name].map(value.isEqual) ?? false }
    }
  }

  /// Whether the tree has a number that Foundation cannot read exactly.
  var hasHugeNumber: Bool {
    switch self {
    case .number(let text): Int64(text) == nil && (text.count > 15 || text.lowercased().contains("e"))
    case .array(let values): values.contains(where: \.hasHugeNumber)
    case .object(let members): members.values.contains(where: \.hasHugeNumber)
    default: false
    }
  }
}

/// Random JSON documents, made from a seed.
enum JSONDocuments {
  static func value(depth: Int, using generator: inout SeededGenerator, names: inout Int) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return "null"
    case 1: return Bool.random(using: &generator) ? "true" : "false"
    case 2: return String(Int64.random(in: .min ... .max, using: &generator))
    case 3: return "-\(UInt8.random(in: 0..<99, using: &generator)).5e\(UInt8.random(in: 0..<9, using: &generator))"
    case 4, 5: return string(using: &generator)
    case 6:
      let values = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
        value(depth: depth - 1, using: &generator, names: &names)
      }
      return "[ \(values.joined(separator: " , "))]"
    default:
      let members = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
        names += 1
        let name = string(using: &generator).dropLast() + "\(names)\""
        return "\(name) : \(value(depth: depth - 1, using: &generator, names: &names))"
      }
      return "{\(members.joined(separator: ",\n"))}"
    }
  }

  private static func string(using generator: inout SeededGenerator) -> String {
    let pieces = [
      "a", "Ż", "\u{1F412}", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\uD83D\\uDC12", "\u{7F}", " ", "}", ",",
    ]
    let text = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
      pieces[Int.random(in: 0..<pieces.count, using: &generator)]
    }
    return "\"\(text.joined())\""
  }
}
