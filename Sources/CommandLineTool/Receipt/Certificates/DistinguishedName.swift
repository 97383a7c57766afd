/// A certificate's subject or issuer (RFC 5280, section 4.1.2.4), for showing.
struct DistinguishedName: Equatable, CustomStringConvertible {
  private let parts: [(key: String, value: String)]

  static func == (left: DistinguishedName, right: DistinguishedName) -> Bool {
    left.parts.elementsEqual(right.parts) { $0 == $1 }
  }

  /// Takes the contents of a Name. What cannot be read is left out.
  init(_ content: ArraySlice<UInt8>) {
    var names = DERCursor(content)
    var parts: [(key: String, value: String)] = []
    while var set = names.enter(0x31) {
      while var pair = set.enter(0x30) {
        guard let identifier = pair.next(), identifier.tag == 0x06, let value = pair.next() else { break }
        parts.append((Self.key(Array(identifier.content)), Self.text(value)))
      }
    }
    self.parts = parts
  }

  var commonName: String? { parts.first { $0.key == "CN" }?.value }

  /// Such as `C=US, O=Example, CN=Example Root`, in the order of the certificate.
  var description: String { parts.map { "\($0.key)=\($0.value)" }.joined(separator: ", ") }

  private static func key(_ identifier: [UInt8]) -> String {
    switch identifier {
    case [0x55, 0x04, 0x03]: "CN"
    case [0x55, 0x04, 0x06]: "C"
    case [0x55, 0x04, 0x07]: "L"
    case [0x55, 0x04, 0x08]: "ST"
    case [0x55, 0x04, 0x0A]: "O"
    case [0x55, 0x04, 0x0B]: "OU"
    case [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01]: "emailAddress"
    default: "other"
    }
  }

  private static func text(_ element: DERCursor.Element) -> String {
    switch element.tag {
    case 0x1E:  // BMPString: two bytes each, the higher first.
      let bytes = Array(element.content)
      let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      return String(decoding: units, as: UTF16.self)
    default: return String(decoding: element.content, as: UTF8.self)
    }
  }
}
