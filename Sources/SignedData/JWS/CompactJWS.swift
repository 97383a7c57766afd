/// The three encoded parts of a JWS in compact serialization (RFC 7515, section 7.1).
struct CompactJWS {
  static let maximumBytes = 4 << 20

  let header: UnsafeBufferPointer<UInt8>
  let payload: UnsafeBufferPointer<UInt8>
  let signature: UnsafeBufferPointer<UInt8>
  /// The signed bytes: header, dot and payload.
  let signingInput: UnsafeBufferPointer<UInt8>

  /// Splits `text`, which must outlive the result. It decodes nothing.
  init(_ text: UnsafeBufferPointer<UInt8>) throws(VerificationFailure) {
    guard text.count <= Self.maximumBytes else {
      throw .structure("it is larger than the \(Self.maximumBytes >> 20) MiB that signed data may have")
    }
    var dots = (0, 0)
    var count = 0
    for index in text.indices where text[index] == UInt8(ascii: ".") {
      count += 1
      if count == 1 { dots.0 = index } else if count == 2 { dots.1 = index } else { break }
    }
    guard count == 2 else {
      throw .structure("it is not a JWS: that has three parts with dots between them")
    }
    header = UnsafeBufferPointer(rebasing: text[..<dots.0])
    payload = UnsafeBufferPointer(rebasing: text[(dots.0 + 1)..<dots.1])
    signature = UnsafeBufferPointer(rebasing: text[(dots.1 + 1)...])
    signingInput = UnsafeBufferPointer(rebasing: text[..<dots.1])
  }

  func decodedHeader() throws(VerificationFailure) -> JWSHeader {
    guard let json = Base64.decode(header, .url) else { throw .structure("the header of the JWS is not base64url") }
    do throws(JSONFault) {
      return try json.withBuffer { (bytes) throws(JSONFault) in try JWSHeader.read(bytes) }
    } catch {
      throw .structure("the header of the JWS cannot be read: \(error)")
    }
  }

  func decodedPayload() throws(VerificationFailure) -> [UInt8] {
    guard let bytes = Base64.decode(payload, .url) else {
      throw .structure("the payload of the JWS is not base64url")
    }
    return bytes
  }

  func decodedSignature() throws(VerificationFailure) -> [UInt8] {
    guard let bytes = Base64.decode(signature, .url) else {
      throw .structure("the signature of the JWS is not base64url")
    }
    guard bytes.count == 64 else { throw .structure("the signature of the JWS is not 64 bytes (ES256)") }
    return bytes
  }
}
