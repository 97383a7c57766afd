import AppStoreEmulator
import Hummingbird
import NIOCore
import SignedData
import WebSupport

/// The OCSP responder (RFC 6960, appendix A): `POST /ocsp`, and `GET /ocsp/` with the request in the path.
///
/// Like Apple's, it is for everyone: verifiers call it at the address that the certificates contain, whatever its host is.
struct CertificateStatusRoutes: Sendable {
  static let path = "/ocsp"

  let store: EmulatedAppStore

  func add(to router: Router<EmulatorRequestContext>) {
    router.post(RouterPath(Self.path)) { request, context in
      let body = try await request.collectedBody(upTo: OCSPRequest.maximumBytes)
      return try await response(to: body.readableBytesView, context) { (bytes) throws(OCSPFault) in
        try OCSPRequest(Array(bytes))
      }
    }
    // The router would divide the base64 at each slash, and skip empty parts.
    router.get(RouterPath("\(Self.path)/**")) { request, context in
      let encoded = request.uri.path.drop { $0 == "/" }.dropFirst(Self.path.count)
      return try await response(to: encoded, context) { (path) throws(OCSPFault) in try OCSPRequest(path: path) }
    }
  }

  private func response<Encoded>(
    to encoded: Encoded, _ context: EmulatorRequestContext, read: (Encoded) throws(OCSPFault) -> OCSPRequest
  ) async throws -> Response {
    let message = Result { () throws(OCSPFault) in try read(encoded) }
    return try await context.response {
      try await store.certificateStatus(message, caller: context.caller)
    } sending: { result in
      do {
        return Response(try store.signedStatus(try result.get()))
      } catch let error as any BackendError {
        return Response(error.response)
      }
    }
  }
}
