import Foundation

/// Writes one JSON object (RFC 8259). Time and memory are proportional to its size. The same members always give the
/// same bytes.
///
/// Members are written in the order of the calls. Names must be plain ASCII.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  /// - Parameter capacity: the expected number of bytes.
  package init(capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

  /// The finished object.
  package consuming func finished() -> [UInt8] {
    var finished = bytes
    // Releases the second reference to the bytes. Otherwise `append` would copy the whole object.
    bytes = []
    finished.append(UInt8(ascii: "}"))
    return finished
  }

  package mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    begin(name)
    append(value)
  }

  /// Writes bytes as a string in base64.
  package mutating func member(_ name: StaticString, base64 value: Data?) {
    guard let value else { return }
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: value.base64EncodedData())
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func member(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  package mutating func member(_ name: StaticString, _ value: Bool?) {
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
    if isJSON { bytes.append(contentsOf: value.utf8) } else { append(value) }
  }

  /// Writes an array of strings.
  mutating func member(_ name: StaticString, strings values: [String]?) {
    guard let values else { return }
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes a member with a string value for each entry, sorted by name.
  package mutating func members(_ values: [String: String]) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      separate()
      append(name)
      bytes.append(UInt8(ascii: ":"))
      append(value)
    }
  }

  /// Writes a member whose value is an object. `content` writes the members of that object.
  package mutating func object(_ name: StaticString, _ content: (inout JSONWriter) throws -> Void) rethrows {
    begin(name)
    try nested(content)
  }

  /// Writes an array of objects, one for each element.
  package mutating func array<Element>(
    _ name: StaticString, of elements: some Sequence<Element>, _ content: (inout JSONWriter, Element) throws -> Void
  ) rethrows {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for element in elements {
      if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
      try nested { try content(&$0, element) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes an object. Returns the position of its members in ``bytes``, without the braces.
  @discardableResult
  mutating func nested(_ content: (inout JSONWriter) throws -> Void) rethrows -> Range<Int> {
    bytes.append(UInt8(ascii: "{"))
    let start = bytes.count
    try content(&self)
    let end = bytes.count
    bytes.append(UInt8(ascii: "}"))
    return start..<end
  }

  /// Writes members that are in JSON already.
  mutating func append(members: Slice<UnsafeBufferPointer<UInt8>>) {
    separate()
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: members))
  }

  private mutating func begin(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a comma, unless the next member is the first one of its object. For a first member, the last byte is an
  /// opening brace. For other members it never is: a string ends with a quotation mark, even if its text ends with a
  /// brace.
  private mutating func separate() {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(utf8: $0) }
  }

  private mutating func append(utf8 text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    // Most texts need no escapes, and are copied at once.
    if text.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      bytes.append(contentsOf: text)
    } else {
      for byte in text { appendEscaped(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0..<0x20: bytes.append(contentsOf: "\\u00\(Hexadecimal.text(of: [byte]))".utf8)
    default: bytes.append(byte)
    }
  }
}
