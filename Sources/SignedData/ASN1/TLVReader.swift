/// One element of an ASN.1 encoding (X.690): its tag, and the positions of its parts.
struct TLVElement {
  /// The identifier byte. Tags above 30 need more than one byte; the formats read here do not use them.
  let tag: UInt8
  /// The position of the whole element, including the identifier.
  let range: Range<Int>
  let content: Range<Int>

  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let bitString: UInt8 = 0x03
  static let octetString: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let objectIdentifier: UInt8 = 0x06
  static let utf8String: UInt8 = 0x0C
  static let ia5String: UInt8 = 0x16
  static let utcTime: UInt8 = 0x17
  static let generalizedTime: UInt8 = 0x18
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31
  static let constructedOctetString: UInt8 = 0x24
  /// The tag of a context-specific, constructed element.
  static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// Thrown if the bytes are not ASN.1, or not the expected elements.
struct TLVFault: Error, CustomStringConvertible {
  let offset: Int
  let reason: StaticString

  var description: String { "at byte \(offset): \(reason)" }
}

/// A cursor over consecutive ASN.1 elements. It builds no tree and copies nothing.
///
/// With `der`, lengths must be encoded as DER requires. `ber` also accepts lengths that are not minimal, and the
/// indefinite form. Finding the end of an indefinite element takes linear time and no stack.
struct TLVReader {
  enum Rules { case der, ber }

  let bytes: UnsafeBufferPointer<UInt8>
  let rules: Rules
  private(set) var position: Int
  let end: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>? = nil, rules: Rules = .der) {
    self.bytes = bytes
    self.rules = rules
    // The range of an element is always inside the bytes. Any other range is clamped, so that nothing is read beyond
    // them.
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position >= end }

  func fault(_ reason: StaticString) -> TLVFault { TLVFault(offset: position, reason: reason) }

  /// A reader of the elements in `element`.
  func inside(_ element: TLVElement) -> TLVReader { TLVReader(bytes, element.content, rules: rules) }

  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

  /// The identifier byte of the next element; nil at the end.
  var nextTag: UInt8? { position < end ? bytes[position] : nil }

  /// The position at which the next element ends according to its length, which may be behind the end of the bytes; nil
  /// if it has none, or an indefinite one.
  var nextStatedEnd: Int? {
    guard let head = try? header(at: position), let length = head.length else { return nil }
    return head.contentStart + length
  }

  /// Continues after elements that the caller has read from ``bytes`` itself.
  ///
  /// - Parameter offset: at most ``end``.
  mutating func skip(to offset: Int) { position = min(offset, end) }

  /// Reads the next element, which must have the tag `tag`.
  @inline(__always)
  mutating func next(_ tag: UInt8, _ reason: StaticString) throws(TLVFault) -> TLVElement {
    guard nextTag == tag else { throw fault(reason) }
    return try next()
  }

  /// Reads the next element, which may have any tag.
  @inline(__always)
  mutating func next() throws(TLVFault) -> TLVElement {
    let begin = position
    let head = try header(at: begin)
    if let length = head.length {
      guard length <= end - head.contentStart else { throw fault("an element is longer than what holds it") }
      position = head.contentStart + length
      return TLVElement(tag: head.tag, range: begin..<position, content: head.contentStart..<position)
    }
    let contentEnd = try endOfIndefinite(from: head.contentStart)
    position = contentEnd + 2
    return TLVElement(tag: head.tag, range: begin..<position, content: head.contentStart..<contentEnd)
  }

  func finish(_ reason: StaticString) throws(TLVFault) {
    guard isAtEnd else { throw fault(reason) }
  }

  private struct Header {
    let tag: UInt8
    /// The length of the contents in bytes; nil if it is indefinite.
    let length: Int?
    let contentStart: Int
  }

  @inline(__always)
  private func header(at offset: Int) throws(TLVFault) -> Header {
    guard offset + 2 <= end else { throw fault("an element is cut short") }
    let tag = bytes[offset]
    guard tag & 0x1F != 0x1F else { throw fault("an element has a tag that no format here uses") }
    let first = bytes[offset + 1]
    if first < 0x80 { return Header(tag: tag, length: Int(first), contentStart: offset + 2) }
    if first == 0x80 {
      guard rules == .ber, tag & 0x20 != 0 else { throw fault("an indefinite length is not allowed here") }
      return Header(tag: tag, length: nil, contentStart: offset + 2)
    }
    let size = Int(first & 0x7F)
    // A length of four bytes is up to 4 GiB, more than any allowed input.
    guard size <= 4, offset + 2 + size <= end else { throw fault("an element is longer than what holds it") }
    var length = 0
    for place in 0..<size { length = length << 8 | Int(bytes[offset + 2 + place]) }
    if rules == .der, length < 0x80 || bytes[offset + 2] == 0 { throw fault("a length is not written as DER demands") }
    return Header(tag: tag, length: length, contentStart: offset + 2 + size)
  }

  /// Returns the offset of the end-of-contents octets of an indefinite element, whose contents begin at `start`.
  private func endOfIndefinite(from start: Int) throws(TLVFault) -> Int {
    var open = 1
    var offset = start
    while true {
      guard offset + 2 <= end else { throw fault("an element of indefinite length does not end") }
      if bytes[offset] == 0, bytes[offset + 1] == 0 {
        open -= 1
        if open == 0 { return offset }
        offset += 2
        continue
      }
      let head = try header(at: offset)
      guard let length = head.length else {
        open += 1
        offset = head.contentStart
        continue
      }
      guard length <= end - head.contentStart else { throw fault("an element is longer than what holds it") }
      offset = head.contentStart + length
    }
  }
}
