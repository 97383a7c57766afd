import Hummingbird

/// Calls `refresh` before each request to the API (`/v1/`), so that the request is handled at the store's current date.
struct ClockMiddleware: RouterMiddleware {
  let refresh: @Sendable () async -> Void

  func handle(
    _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    if request.uri.path.hasPrefix("/v1/") { await refresh() }
    return try await next(request, context)
  }
}
