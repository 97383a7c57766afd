import SignedData
import StoreModel

/// The three parts of a compact JWS, each base64url. Verifies nothing.
struct JWSParts {
  let header: Substring
  let payload: Substring
  let signature: Substring

  /// Nil if the text does not have three parts.
  init?(_ jws: String) {
    let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    (header, payload, signature) = (parts[0], parts[1], parts[2])
  }
}

/// Reads the payload of signed data from the middle part of its compact JWS.
enum JWSPayload {
  /// - Parameter part: base64url.
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  static func bytes(_ part: some StringProtocol) throws(VerificationFailure) -> [UInt8] {
    let text = Array(part.utf8)
    guard let bytes = text.withUnsafeBufferPointer({ Base64.decode($0, .url) }) else {
      throw VerificationFailure(fault: .structure, detail: "the payload is not base64url")
    }
    return bytes
  }

  /// The payload of a compact JWS. Verifies nothing.
  ///
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  static func bytes(ofJWS jws: String) throws(VerificationFailure) -> [UInt8] {
    guard let parts = JWSParts(jws) else {
      throw VerificationFailure(fault: .structure, detail: "a compact JWS has three parts")
    }
    return try bytes(parts.payload)
  }
}

extension SignedTransaction {
  /// Whether another signature of a transaction has the same content. The store signs a transaction again for each answer,
  /// so the date of signing and the device proof differ each time.
  func hasSameContent(as other: SignedTransaction) -> Bool {
    var (left, right) = (self, other)
    left.signedDate = right.signedDate
    (left.deviceVerification, left.deviceVerificationNonce) = (nil, nil)
    (right.deviceVerification, right.deviceVerificationNonce) = (nil, nil)
    return left == right
  }
}

extension SignedRenewalInfo {
  /// Whether another signature of renewal information has the same content, apart from the date of signing and the device
  /// proof.
  func hasSameContent(as other: SignedRenewalInfo) -> Bool {
    var (left, right) = (self, other)
    left.signedDate = right.signedDate
    (left.deviceVerification, left.deviceVerificationNonce) = (nil, nil)
    (right.deviceVerification, right.deviceVerificationNonce) = (nil, nil)
    return left == right
  }
}
