/// Encodes DER (X.690, section 10), innermost elements first.
enum DERWriter {
  static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
    var bytes = [UInt8]()
    bytes.reserveCapacity(content.count + 6)
    bytes.append(tag)
    appendLength(content.count, to: &bytes)
    bytes.append(contentsOf: content)
    return bytes
  }

  static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(TLVElement.sequence, Array(parts.joined())) }

  /// A SET OF. Its elements are sorted by their encodings, as DER requires.
  static func setOf(_ parts: [[UInt8]]) -> [UInt8] {
    element(TLVElement.set, Array(parts.sorted { $0.lexicographicallyPrecedes($1) }.joined()))
  }

  static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(TLVElement.octetString, bytes) }
  static func utf8String(_ text: String) -> [UInt8] { element(TLVElement.utf8String, Array(text.utf8)) }
  static func ia5String(_ text: String) -> [UInt8] { element(TLVElement.ia5String, Array(text.utf8)) }
  static func identifier(_ identifier: ObjectIdentifierBytes) -> [UInt8] {
    element(TLVElement.objectIdentifier, identifier.bytes)
  }

  static func integer(_ value: Int64) -> [UInt8] {
    var bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
    // The shortest form that keeps the sign.
    while bytes.count > 1, (bytes[0] == 0 && bytes[1] < 0x80) || (bytes[0] == 0xFF && bytes[1] >= 0x80) {
      bytes.removeFirst()
    }
    return element(TLVElement.integer, bytes)
  }

  private static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
    guard length >= 0x80 else {
      bytes.append(UInt8(length))
      return
    }
    let size = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
    bytes.append(0x80 | UInt8(size))
    for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: length >> (8 * place))) }
  }
}
