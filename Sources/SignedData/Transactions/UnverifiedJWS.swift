/// A JWS that was decoded without verification. Use it for display only, never for decisions.
public struct UnverifiedJWS: Hashable, Sendable {
  /// The header and the payload.
  public let contents: JWSContents
  /// The signature: 64 bytes, R and S.
  public let signature: [UInt8]

  /// Decodes a compact serialization (RFC 7515, section 7.1).
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

  /// Decodes the payload as a transaction.
  ///
  /// - Throws: ``VerificationFailure`` with the fault `structure` if it is not a transaction.
  public func transaction() throws(VerificationFailure) -> SignedTransaction {
    try SignedTransaction(payload: contents.payload)
  }
}
