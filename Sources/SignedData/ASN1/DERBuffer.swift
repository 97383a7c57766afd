import Foundation

/// Encodes DER (X.690, section 10) into one buffer, in time and memory in proportion to the size of the result.
struct DERBuffer {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

  /// Appends an element that is encoded already.
  mutating func append(_ encoded: some Collection<UInt8>) { bytes.append(contentsOf: encoded) }

  mutating func element(_ tag: UInt8, _ content: some Collection<UInt8>) {
    bytes.append(tag)
    appendLength(content.count)
    bytes.append(contentsOf: content)
  }

  /// Appends an element with the content that `content` appends.
  @inline(__always)
  mutating func element(_ tag: UInt8, _ content: (inout DERBuffer) -> Void) {
    bytes.append(tag)
    let place = bytes.count
    // The length is not known yet. One byte is reserved for it, which is enough for lengths below 128. For a longer
    // length, the content is moved.
    bytes.append(0)
    content(&self)
    let length = bytes.count - place - 1
    guard length >= 0x80 else {
      bytes[place] = UInt8(length)
      return
    }
    var encoded = DERBuffer(capacity: 10)
    encoded.appendLength(length)
    bytes.replaceSubrange(place...place, with: encoded.bytes)
  }

  /// Appends a SET OF with the elements that `content` appends, sorted by their encodings.
  mutating func setOf(_ content: (inout DERBuffer) -> Void) {
    element(TLVElement.set) { set in
      let start = set.bytes.count
      content(&set)
      set.sortElements(from: start)
    }
  }

  mutating func integer(_ value: Int64) {
    bytes.append(TLVElement.integer)
    // DER requires the shortest two's complement form. Leading bytes that only repeat the sign bit are omitted.
    let significant = 65 - (value < 0 ? ~value : value).leadingZeroBitCount
    let size = (significant + 7) / 8
    bytes.append(UInt8(size))
    for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
  }

  private mutating func appendLength(_ length: Int) {
    guard length >= 0x80 else {
      bytes.append(UInt8(length))
      return
    }
    let size = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
    bytes.append(0x80 | UInt8(size))
    for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: length >> (8 * place))) }
  }

  /// Sorts the elements from `start` to the end by their encodings.
  private mutating func sortElements(from start: Int) {
    let sorted = bytes.withUnsafeBufferPointer { buffer -> [UInt8]? in
      guard !Self.isSorted(from: start, in: buffer) else { return nil }
      var elements: [UnsafeBufferPointer<UInt8>] = []
      var place = start
      while place < buffer.count {
        let end = Self.end(ofElementAt: place, in: buffer)
        elements.append(UnsafeBufferPointer(rebasing: buffer[place..<end]))
        place = end
      }
      elements.sort(by: Self.precedes)
      return [UInt8](unsafeUninitializedCapacity: buffer.count - start) { sorted, count in
        for element in elements {
          guard let from = element.baseAddress, let to = sorted.baseAddress else { continue }
          memcpy(to + count, from, element.count)
          count += element.count
        }
      }
    }
    if let sorted { bytes.replaceSubrange(start..., with: sorted) }
  }

  private static func isSorted(from start: Int, in buffer: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let bytes = buffer.baseAddress else { return true }
    var last: UnsafeBufferPointer<UInt8>?
    var place = start
    while place < buffer.count {
      let end = Self.end(ofElementAt: place, in: buffer)
      let element = UnsafeBufferPointer(start: bytes + place, count: end - place)
      if let last, precedes(element, last) { return false }
      last = element
      place = end
    }
    return true
  }

  /// Whether an element's encoding comes before another one's. Each has at least two bytes.
  private static func precedes(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let one = first.baseAddress, let other = second.baseAddress else { return first.count < second.count }
    // Most elements have the same tag and differ in their length, so their second bytes decide.
    if one[0] == other[0], one[1] != other[1] { return one[1] < other[1] }
    let order = memcmp(one, other, min(first.count, second.count))
    return order == 0 ? first.count < second.count : order < 0
  }

  /// The end of an element that this buffer has written.
  private static func end(ofElementAt place: Int, in buffer: UnsafeBufferPointer<UInt8>) -> Int {
    let first = Int(buffer[place + 1])
    guard first >= 0x80 else { return place + 2 + first }
    let start = place + 2 + (first & 0x7F)
    var length = 0
    for byte in buffer[(place + 2)..<start] { length = length << 8 | Int(byte) }
    return start + length
  }
}
