import Crypto
import Foundation
import SignedData

/// A JWS with its decoded payload. It is immutable, so that values of StoreKit can share it.
final class SignedContent<Payload: Sendable>: Sendable {
  /// The compact JWS.
  let jws: String
  let payload: Payload
  let payloadBytes: [UInt8]
  /// Why it was not verified; nil if it was.
  let failure: VerificationFailure?

  /// Decodes a JWS. Verifies nothing: the device did that when it received the JWS.
  ///
  /// Only the payload must be readable, because a JWS with a damaged header or signature is an unverified value.
  ///
  /// - Parameter read: decodes the payload.
  /// - Throws: ``VerificationFailure`` with the fault `structure`, or what `read` throws.
  init(jws: String, failure: VerificationFailure?, read: ([UInt8]) throws -> Payload) throws {
    let payload = try JWSPayload.bytes(ofJWS: jws)
    self.jws = jws
    self.failure = failure
    payloadBytes = payload
    self.payload = try read(payload)
  }

  /// The decoded header; empty if it is damaged.
  var headerBytes: [UInt8] { bytes(of: \.header) }
  /// The decoded signature; empty if it is damaged.
  var signatureBytes: [UInt8] { bytes(of: \.signature) }
  /// The signing input: the header, a period and the payload, as in the JWS.
  var signedData: Data { Data(jws.utf8.prefix(upTo: jws.utf8.lastIndex(of: UInt8(ascii: ".")) ?? jws.utf8.endIndex)) }

  /// The signature for swift-crypto. A damaged one is filled up with zeros, and verifies nothing.
  var signature: P256.Signing.ECDSASignature {
    let length = 64
    let bytes = signatureBytes.prefix(length)
    let padded = bytes + Array(repeating: 0, count: length - bytes.count)
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: padded) else {
      preconditionFailure("64 bytes are always a raw ECDSA signature of P-256")
    }
    return signature
  }

  private func bytes(of part: KeyPath<JWSParts, Substring>) -> [UInt8] {
    guard let text = JWSParts(jws)?[keyPath: part] else { return [] }
    return (try? JWSPayload.bytes(text)) ?? []
  }
}

/// Two contents are equal if their payloads are. A signature made again has other bytes for the same statement.
extension SignedContent: Hashable {
  static func == (left: SignedContent, right: SignedContent) -> Bool {
    left === right || left.payloadBytes == right.payloadBytes
  }

  func hash(into hasher: inout Hasher) { hasher.combine(payloadBytes) }

  /// The payload as text.
  var text: String { String(decoding: payloadBytes, as: UTF8.self) }
}

/// The parts of a JWS that ``VerificationResult`` shows, without the type of the payload.
struct SignedParts {
  let jws: String
  let header: Data
  let payload: Data
  let signatureData: Data
  let signature: P256.Signing.ECDSASignature
  let signedData: Data

  init<Payload>(_ content: SignedContent<Payload>) {
    jws = content.jws
    header = Data(content.headerBytes)
    payload = Data(content.payloadBytes)
    signatureData = Data(content.signatureBytes)
    signature = content.signature
    signedData = content.signedData
  }
}

/// A value that was read from a JWS.
protocol SignedValue {
  var parts: SignedParts { get }
  /// Why the JWS was not verified; nil if it was.
  var failure: VerificationFailure? { get }
}
