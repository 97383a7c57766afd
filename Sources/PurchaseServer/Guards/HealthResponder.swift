import HTTPTypes
import Hummingbird
import WebSupport

/// The responder of the health listener. It answers only requests for the server's health.
struct HealthResponder: HTTPResponder {
  typealias Context = ServiceContext

  let responder: ServiceResponder

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    guard ServiceResponder.isProbe(request) else {
      let refusal = ErrorResponse(
        .notFound, "noSuchEndpoint", "Only /health, /ready and /metrics are answered at this port.")
      return request.method == .head ? refusal.response.createHeadResponse() : refusal.response
    }
    return try await responder.respond(to: request, context: context)
  }
}
