/// A JWS that was read, but not believed: for looking at, never for deciding.
public struct UnverifiedJWS: Hashable, Sendable {
  /// Header and payload.
  public let contents: JWSContents
  /// 64 bytes, R and S.
  public let signature: [UInt8]

  /// Reads a compact serialization (RFC 7515, section 7.1).
  ///
  /// - Parameter compact: at most 4 MiB.
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(_ compact: String) throws(VerificationFailure) {
    self = try compact.withBuffer { (text) throws(VerificationFailure) in
      let parts = try CompactJWS(text)
      return UnverifiedJWS(
        contents: JWSContents(header: try parts.decodedHeader(), payload: try parts.decodedPayload()),
        signature: try parts.decodedSignature())
    }
  }

  private init(contents: JWSContents, signature: [UInt8]) {
    self.contents = contents
    self.signature = signature
  }

  /// Reads the payload as a transaction.
  ///
  /// - Throws: ``VerificationFailure`` with the fault `structure`, if it is none.
  public func transaction() throws(VerificationFailure) -> SignedTransaction {
    try SignedTransaction(payload: contents.payload)
  }
}
