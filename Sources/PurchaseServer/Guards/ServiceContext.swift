import HTTPTypes
import Hummingbird
import NIOCore

/// The context of a request. It contains the connection, which a download may have to close.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The address that the request comes from.
  var caller: CallerAddress

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    caller = CallerAddress(peer: source.channel.remoteAddress?.ipAddress, HTTPFields(), trusted: [])
  }
}

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
