import HTTPTypes
import Hummingbird
import WebSupport

/// The responder of the health listener. It answers only requests for the server's health.
struct HealthResponder: HTTPResponder {
  typealias Context = ServiceContext

  let keeper: ServiceResponder

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    guard ServiceResponder.isWatching(request) else {
      let refusal = ErrorResponse(
        .notFound, "noSuchDoor", "Only /health, /ready and /metrics are answered at this port.")
      return request.method == .head ? refusal.response.createHeadResponse() : refusal.response
    }
    return try await keeper.respond(to: request, context: context)
  }
}
