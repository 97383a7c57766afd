import Foundation
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// Writes the address of this store's OCSP responder into the certificates with which the store signs from now on. Keys and
  /// roots stay the same.
  ///
  /// - Parameter address: the address of a server that answers with ``certificateStatus(_:caller:)``; nil for certificates
  ///   without an address, which verifiers with online checks refuse.
  public func setOCSPResponder(_ address: URL?) { ocspResponder.value = address }

  /// Answers an OCSP request (RFC 6960).
  ///
  /// - Throws: a ``BackendError``, or the errors of a fault.
  package func certificateStatus(
    _ request: Result<OCSPRequest, OCSPFault>, caller: (any StoreCaller)?
  ) async throws -> OCSPAnswer {
    try await pipeline.run(CertificateStatusOperation(request: request), for: caller)
  }

  /// Signs an answer of ``certificateStatus(_:caller:)``.
  package func signedStatus(_ answer: OCSPAnswer) throws -> BackendResponse {
    BackendResponse(
      try authority.response(answer, at: clock.machine.now), contentType: "application/ocsp-response")
  }
}
