extension SignedTransaction {
  /// Decodes the signed JSON. The signature is not checked.
  ///
  /// - Parameter payload: the decoded payload of a JWS ("JWSTransactionDecodedPayload").
  /// - Throws: ``VerificationFailure`` with the fault `structure`, and the position in the data.
  public init(payload: [UInt8]) throws(VerificationFailure) {
    do throws(JSONFault) {
      self = try payload.withBuffer { (bytes) throws(JSONFault) in try TransactionPayloadReader.read(bytes) }
    } catch {
      throw .structure("the transaction cannot be read: \(error)")
    }
  }
}
