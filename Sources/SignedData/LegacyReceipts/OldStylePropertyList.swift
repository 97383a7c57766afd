import StoreModel

/// The old-style property list of legacy receipts: one dictionary of quoted strings.
///
/// The format is `{ "key" = "value"; … }`, without nesting, numbers or comments. Reading takes linear time.
struct OldStylePropertyList {
  static let maximumBytes = 1 << 20
  static let maximumPairs = 256

  struct Fault: Error, CustomStringConvertible {
    let offset: Int
    let reason: StaticString
    var description: String { "at byte \(offset): \(reason)" }
  }

  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  static func read(_ text: UnsafeBufferPointer<UInt8>) throws(Fault) -> [LegacyReceipt.Field] {
    guard text.count <= maximumBytes else { throw Fault(offset: 0, reason: "it is larger than 1 MiB") }
    var list = OldStylePropertyList(text: text)
    return try list.dictionary()
  }

  private init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  private func fault(_ reason: StaticString) -> Fault { Fault(offset: position, reason: reason) }

  private mutating func dictionary() throws(Fault) -> [LegacyReceipt.Field] {
    try expect(UInt8(ascii: "{"), "a dictionary is expected")
    var fields: [LegacyReceipt.Field] = []
    var keys = Set<[UInt8]>()
    while next() != UInt8(ascii: "}") {
      guard fields.count < Self.maximumPairs else { throw fault("it has too many entries") }
      let key = try string()
      try expect(UInt8(ascii: "="), "an equals sign is expected")
      let value = try string()
      try expect(UInt8(ascii: ";"), "a semicolon is expected")
      guard keys.insert(Array(key.utf8)).inserted else { throw fault("a key occurs twice") }
      fields.append(LegacyReceipt.Field(key: key, value: value))
    }
    position += 1
    guard next() == nil else { throw fault("something follows the dictionary") }
    return fields
  }

  /// The next byte that is not white space. It is not consumed.
  private mutating func next() -> UInt8? {
    while position < text.count {
      let byte = text[position]
      guard byte == 0x20 || (0x09...0x0D).contains(byte) else { return byte }
      position += 1
    }
    return nil
  }

  private mutating func expect(_ byte: UInt8, _ reason: StaticString) throws(Fault) {
    guard next() == byte else { throw fault(reason) }
    position += 1
  }

  private mutating func string() throws(Fault) -> String {
    try expect(UInt8(ascii: "\""), "a string in quotes is expected")
    var bytes: [UInt8] = []
    while position < text.count {
      let byte = text[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard let string = String(validating: bytes, as: UTF8.self) else { throw fault("a string is not UTF-8") }
        guard string.isStreamSafe else { throw fault("a string has too many combining marks in a row") }
        return string
      }
      if byte == UInt8(ascii: "\\") { try escape(&bytes) } else { bytes.append(byte) }
    }
    throw fault("a string does not end")
  }

  private mutating func escape(_ bytes: inout [UInt8]) throws(Fault) {
    guard position < text.count else { throw fault("a string does not end") }
    let byte = text[position]
    position += 1
    switch byte {
    case UInt8(ascii: "a"): bytes.append(0x07)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "v"): bytes.append(0x0B)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"): bytes.append(byte)
    case UInt8(ascii: "U"):
      var value: UInt32 = 0
      for _ in 0..<4 {
        guard position < text.count, let digit = Hexadecimal.value(text[position]) else {
          throw fault("four hexadecimal digits are expected")
        }
        value = value << 4 | UInt32(digit)
        position += 1
      }
      guard let scalar = Unicode.Scalar(value) else { throw fault("an escape is no character") }
      bytes.append(contentsOf: String(scalar).utf8)
    default: throw fault("an unknown escape stands in a string")
    }
  }

  /// Writes the format that ``read(_:)`` reads, one entry per line, indented by a tab.
  static func text(_ fields: [LegacyReceipt.Field]) -> [UInt8] {
    var bytes = Array("{\n".utf8)
    for field in fields {
      bytes.append(contentsOf: "\t\"".utf8)
      append(field.key, to: &bytes)
      bytes.append(contentsOf: "\" = \"".utf8)
      append(field.value, to: &bytes)
      bytes.append(contentsOf: "\";\n".utf8)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
  }
}
