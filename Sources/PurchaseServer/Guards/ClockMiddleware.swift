import Hummingbird

/// Calls `refresh` before each request of an app, so that it uses the store's current date.
struct ClockMiddleware: RouterMiddleware {
  let refresh: @Sendable () async -> Void

  func handle(
    _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    if request.uri.path.hasPrefix("/v1/") { await refresh() }
    return try await next(request, context)
  }
}
