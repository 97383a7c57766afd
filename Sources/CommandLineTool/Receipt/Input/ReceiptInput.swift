import Foundation
import SignedData

/// An input that a store may have signed. Its first bytes determine its kind; it is not decoded yet.
enum ReceiptInput: Equatable {
  /// An app receipt, DER or BER.
  case appReceipt(Data)
  /// A legacy transaction receipt: an old-style property list.
  case legacyReceipt(Data)
  /// A JWS in compact serialization.
  case jws(String)

  /// The reason why an input is not recognized.
  enum Fault: Error, Equatable, CustomStringConvertible {
    case empty
    case json
    case unknown
    case unknownInBase64
    /// Base64 of a receipt, damaged on its way.
    case damaged(Base64Fault)

    var description: String {
      let expected = "expected is an app receipt (DER or base64), a legacy receipt, or a JWS"
      return switch self {
      case .empty: "it is empty; \(expected)"
      case .json: "it is JSON; give the signed text that lies inside, such as receipt-data or signedPayload"
      case .unknown: "its format is unknown; \(expected)"
      case .unknownInBase64: "it is base64 of an unknown format; \(expected)"
      case .damaged(let fault): "it is base64 that was damaged: \(fault)"
      }
    }
  }

  /// Recognizes the kind of `data`. White space around and inside base64 and JWS is ignored, although a store's
  /// `verifyReceipt` refuses it.
  init(_ data: Data) throws(Fault) {
    if Self.isContainer(data) {
      self = .appReceipt(data)
      return
    }
    let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    let compact = Data(text.lazy.filter { !Self.isBlank($0) })
    if compact.isEmpty { throw .empty }
    if compact.first == UInt8(ascii: "{") {
      self = .legacyReceipt(try Self.propertyList(Data(text), compact))
    } else if Self.isJWS(compact) {
      self = .jws(String(decoding: compact, as: UTF8.self))
    } else if Base64Fault(in: compact) == nil, let decoded = Data(base64Encoded: compact) {
      if let fault = DamagedBase64.lostPlusSigns(Data(text), whereas: decoded) { throw .damaged(fault) }
      self = try Self.input(inBase64: decoded)
    } else if let fault = DamagedBase64.fault(in: Data(text), compact) {
      throw .damaged(fault)
    } else {
      throw .unknown
    }
  }

  private static func input(inBase64 decoded: Data) throws(Fault) -> ReceiptInput {
    if isContainer(decoded) { return .appReceipt(decoded) }
    let compact = Data(decoded.prefix(4096).lazy.filter { !isBlank($0) })
    guard compact.first == UInt8(ascii: "{") else { throw .unknownInBase64 }
    return .legacyReceipt(try propertyList(decoded, compact))
  }

  /// Whether `data` begins with an ASN.1 SEQUENCE of 128 bytes or more, or of indefinite length. ASCII text never has
  /// such a second byte.
  static func isContainer(_ data: Data) -> Bool {
    data.count >= 2 && data[data.startIndex] == 0x30 && data[data.startIndex + 1] >= 0x80
  }

  /// Returns `text` if it is a property list. JSON also begins with a brace and a quoted name, but continues with a
  /// colon.
  private static func propertyList(_ text: Data, _ compact: Data) throws(Fault) -> Data {
    let parts = compact.split(separator: UInt8(ascii: "\""), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 1 else { throw .unknown }
    if parts[2].first == UInt8(ascii: ":") { throw .json }
    guard parts[2].first == UInt8(ascii: "=") else { throw .unknown }
    return text
  }

  private static func isJWS(_ text: Data) -> Bool {
    var dots = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: "."): dots += 1
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): continue
      default: return false
      }
    }
    return dots == 2
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
