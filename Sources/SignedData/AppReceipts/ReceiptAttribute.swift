import StoreModel

/// One attribute of a receipt's payload: `SEQUENCE { type, version, value }`.
struct ReceiptAttribute {
  let type: Int64
  let version: Int64
  /// The position of the OCTET STRING's contents.
  let value: Range<Int>

  /// Reads the next attribute of a SET.
  @inline(__always)
  init(_ set: inout TLVReader) throws(TLVFault) {
    if let short = Self(short: &set) { self = short } else { self = try Self(ofAnyForm: &set) }
  }

  /// Reads the next attribute, whatever the lengths of its parts are.
  init(ofAnyForm set: inout TLVReader) throws(TLVFault) {
    let element = try set.next(TLVElement.sequence, "a receipt attribute is expected")
    var reader = set.inside(element)
    type = try reader.integer()
    version = try reader.integer()
    value = try reader.next(TLVElement.octetString, "an attribute's value is expected").content
    try reader.finish("something follows an attribute's value")
  }

  /// Reads the next attribute if it has the form of nearly all attributes: all lengths are below 128, the type has two
  /// bytes, and the version has one. Returns nil, and reads nothing, for any other form.
  ///
  /// This initializer only saves time: Documentation/figures.md, "What was changed for speed".
  @inline(__always)
  private init?(short set: inout TLVReader) {
    let (bytes, start) = (set.bytes, set.position)
    guard set.end - start >= Self.shortHeader, bytes[start] == TLVElement.sequence,
      bytes[start + 2] == TLVElement.integer, bytes[start + 3] == 2,
      bytes[start + 6] == TLVElement.integer, bytes[start + 7] == 1, bytes[start + 9] == TLVElement.octetString
    else { return nil }
    let (length, valueLength) = (Int(bytes[start + 1]), Int(bytes[start + 10]))
    let end = start + Self.shortHeader + valueLength
    guard length < 0x80, length == Self.shortHeader - 2 + valueLength, end <= set.end else { return nil }
    type = Int64(Int16(bitPattern: UInt16(bytes[start + 4]) << 8 | UInt16(bytes[start + 5])))
    version = Int64(Int8(bitPattern: bytes[start + 8]))
    value = start + Self.shortHeader..<end
    set.skip(to: end)
  }

  /// The number of bytes before the value in the short form: `30 L 02 02 T T 02 01 V 04 L`.
  private static let shortHeader = 11
}

extension TLVReader {
  /// Reads a value that consists of one SET.
  func set(_ value: Range<Int>) throws(TLVFault) -> TLVReader {
    var outer = TLVReader(bytes, value)
    let element = try outer.next(TLVElement.set, "a SET is expected")
    try outer.finish("something follows a SET")
    return outer.inside(element)
  }

  /// Reads a UTF8String or IA5String; nil if it is empty, which means "no value".
  func text(_ value: Range<Int>) throws(TLVFault) -> String? {
    let content = try textContent(value)
    guard !content.isEmpty else { return nil }
    let bytes = slice(content)
    // ASCII is valid UTF-8 without combining marks, so the two slower checks are left out.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("a text is not UTF-8") }
    guard text.isStreamSafe else { throw fault("a text has too many combining marks in a row") }
    return text
  }

  /// Reads an IA5String with a date; nil if it is empty.
  func date(_ value: Range<Int>) throws(TLVFault) -> StoreDate? {
    let content = try textContent(value)
    guard !content.isEmpty else { return nil }
    guard let date = RFC3339.date(slice(content)) else { throw fault("a date is not RFC 3339") }
    return date
  }

  /// Reads an INTEGER; nil if the value is empty.
  func number(_ value: Range<Int>) throws(TLVFault) -> Int64? {
    if value.isEmpty { return nil }
    var inner = TLVReader(bytes, value)
    let number = try inner.integer()
    try inner.finish("something follows an INTEGER")
    return number
  }

  func transactionID(_ value: Range<Int>) throws(TLVFault) -> TransactionID? {
    let content = try textContent(value)
    guard !content.isEmpty else { return nil }
    guard let id = TransactionID(bytes: slice(content)) else {
      throw fault("a transaction id is not 1 to 20 decimal digits")
    }
    return id
  }

  private func textContent(_ value: Range<Int>) throws(TLVFault) -> Range<Int> {
    if value.isEmpty { return value }
    var inner = TLVReader(bytes, value)
    let element = try inner.next()
    guard element.tag == TLVElement.utf8String || element.tag == TLVElement.ia5String else {
      throw fault("a text is expected")
    }
    try inner.finish("something follows a text")
    return element.content
  }
}
