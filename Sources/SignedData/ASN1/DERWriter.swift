/// Encodes DER (X.690, section 10). The functions return one element each; ``DERBuffer`` writes large structures.
enum DERWriter {
  static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
    var buffer = DERBuffer(capacity: content.count + 6)
    buffer.element(tag, content)
    return buffer.bytes
  }

  static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
    var buffer = DERBuffer(capacity: parts.reduce(6) { $0 + $1.count })
    buffer.element(TLVElement.sequence) { sequence in for part in parts { sequence.append(part) } }
    return buffer.bytes
  }

  /// A SET OF. Its elements are sorted by their encodings, as DER requires.
  static func setOf(_ parts: [[UInt8]]) -> [UInt8] {
    var buffer = DERBuffer()
    buffer.setOf { set in for part in parts { set.append(part) } }
    return buffer.bytes
  }

  static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(TLVElement.octetString, bytes) }
  static func utf8String(_ text: String) -> [UInt8] { element(TLVElement.utf8String, Array(text.utf8)) }
  static func ia5String(_ text: String) -> [UInt8] { element(TLVElement.ia5String, Array(text.utf8)) }
  static func identifier(_ identifier: ObjectIdentifierBytes) -> [UInt8] {
    element(TLVElement.objectIdentifier, identifier.bytes)
  }

  static func integer(_ value: Int64) -> [UInt8] {
    var buffer = DERBuffer(capacity: 10)
    buffer.integer(value)
    return buffer.bytes
  }
}
