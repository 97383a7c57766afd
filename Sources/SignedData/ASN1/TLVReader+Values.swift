extension TLVReader {
  /// Reads an INTEGER that fits into 64 bits, with its sign.
  mutating func integer() throws(TLVFault) -> Int64 {
    let element = try next(TLVElement.integer, "an INTEGER is expected")
    return try integer(element.content)
  }

  func integer(_ content: Range<Int>) throws(TLVFault) -> Int64 {
    guard (1...8).contains(content.count) else { throw fault("an INTEGER is empty or too large") }
    var value = Int64(Int8(bitPattern: bytes[content.lowerBound]))
    for offset in content.dropFirst() { value = value << 8 | Int64(bytes[offset]) }
    return value
  }

  /// Whether the contents of an INTEGER are those that DER requires: not empty, and without a needless first byte.
  func isShortest(_ integer: TLVElement) -> Bool {
    let content = slice(integer.content)
    guard content.count > 1 else { return content.count == 1 }
    return content[1] < 0x80 ? content[0] != 0 : content[0] != 0xFF
  }

  /// Whether the contents of an OBJECT IDENTIFIER are whole numbers: each ends, and none has a needless first byte.
  func isWholeIdentifier(_ element: TLVElement) -> Bool {
    var isFirst = true
    for byte in slice(element.content) {
      if isFirst, byte == 0x80 { return false }
      isFirst = byte < 0x80
    }
    return isFirst && !element.content.isEmpty
  }

  /// Reads the parameters of an algorithm, which are missing or NULL.
  mutating func finishParameters() throws(TLVFault) {
    if !isAtEnd {
      let parameters = try next(TLVElement.null, "the parameters of an algorithm are not NULL")
      guard parameters.content.isEmpty else { throw fault("the parameters of an algorithm are not NULL") }
    }
    try finish("something follows the parameters of an algorithm")
  }

  /// Whether the element is this OBJECT IDENTIFIER.
  func isIdentifier(_ element: TLVElement, _ identifier: ObjectIdentifierBytes) -> Bool {
    element.tag == TLVElement.objectIdentifier && slice(element.content).elementsEqual(identifier.bytes)
  }
}

/// The encoded contents of an OBJECT IDENTIFIER element.
struct ObjectIdentifierBytes: Hashable, Sendable {
  let bytes: [UInt8]

  init(_ arcs: UInt64...) {
    precondition(arcs.count >= 2, "an object identifier has two arcs at least")
    var bytes: [UInt8] = []
    for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
      var groups = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        groups.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      bytes.append(contentsOf: groups.reversed())
    }
    self.bytes = bytes
  }

  static let data = ObjectIdentifierBytes(1, 2, 840, 113549, 1, 7, 1)
  static let signedData = ObjectIdentifierBytes(1, 2, 840, 113549, 1, 7, 2)
  static let sha1 = ObjectIdentifierBytes(1, 3, 14, 3, 2, 26)
  static let sha256 = ObjectIdentifierBytes(2, 16, 840, 1, 101, 3, 4, 2, 1)
  static let rsaEncryption = ObjectIdentifierBytes(1, 2, 840, 113549, 1, 1, 1)
  static let sha1WithRSA = ObjectIdentifierBytes(1, 2, 840, 113549, 1, 1, 5)
  static let ecdsaWithSHA256 = ObjectIdentifierBytes(1, 2, 840, 10045, 4, 3, 2)
  /// id-pkix-ocsp-basic, the type of OCSP answers.
  static let basicOCSPResponse = ObjectIdentifierBytes(1, 3, 6, 1, 5, 5, 7, 48, 1, 1)
  /// id-pkix-ocsp-nonce.
  static let ocspNonce = ObjectIdentifierBytes(1, 3, 6, 1, 5, 5, 7, 48, 1, 2)
  static let sha256WithRSA = ObjectIdentifierBytes(1, 2, 840, 113549, 1, 1, 11)
}
