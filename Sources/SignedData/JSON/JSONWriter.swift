/// Writes one flat JSON object (RFC 8259). The same members always have the same bytes.
///
/// Members are written in the order of the calls. Names must be plain ASCII.
struct JSONWriter {
  private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  init() { bytes.reserveCapacity(1024) }

  /// The finished object.
  consuming func finished() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    begin(name)
    Self.append(value, to: &bytes)
  }

  mutating func member(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func member(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    begin(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes a value that is already JSON. A text that is not JSON is written as a string, so that the object stays
  /// valid.
  mutating func member(_ name: StaticString, json value: String?) {
    guard var value else { return }
    begin(name)
    let isJSON = value.withUTF8 { text in
      (try? JSONReader.read(text) { (reader) throws(JSONFault) in try reader.skipValue() }) != nil
    }
    if isJSON { bytes.append(contentsOf: value.utf8) } else { Self.append(value, to: &bytes) }
  }

  private mutating func begin(_ name: StaticString) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00\(Hexadecimal.text(of: [byte]))".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
