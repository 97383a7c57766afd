extension SignedTransaction {
  /// Reads the JSON that was signed. It says nothing about who signed it.
  ///
  /// - Parameter payload: the decoded payload of a JWS ("JWSTransactionDecodedPayload").
  /// - Throws: ``VerificationFailure`` with the fault `structure`, naming the place.
  public init(payload: [UInt8]) throws(VerificationFailure) {
    do throws(JSONFault) {
      self = try payload.withBuffer { (bytes) throws(JSONFault) in try TransactionPayloadReader.read(bytes) }
    } catch {
      throw .structure("the transaction cannot be read: \(error)")
    }
  }
}
