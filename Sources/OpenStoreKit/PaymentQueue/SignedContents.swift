import SignedData
import StoreModel

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
    let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw VerificationFailure(fault: .structure, detail: "a compact JWS has three parts")
    }
    return try bytes(parts[1])
  }
}

extension SignedTransaction {
  /// Whether another signature of a transaction has the same content. The store signs a transaction anew for each answer,
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
