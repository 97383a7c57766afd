import Hummingbird

/// The endpoints for downloads: `GET` and `HEAD` of a link.
struct DownloadRoutes: Sendable {
  let responder: DownloadResponder

  func add(to router: Router<ServiceContext>) {
    let responder = responder
    let respond: @Sendable (Request, ServiceContext) async throws -> Response = { request, context in
      try await responder.respond(
        to: request, token: try context.pathParameter("token"), over: context.channel, logger: context.logger)
    }
    router.serve(raw: ServiceEndpoints.download, respond: respond)
    router.serve(raw: ServiceEndpoints.downloadHead, respond: respond)
  }
}
