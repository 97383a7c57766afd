import HTTPTypes
import Hummingbird

/// The endpoint for downloads: `GET` and `HEAD` of a link.
struct DownloadRoutes: Sendable {
  let responder: DownloadResponder

  func add(to router: Router<ServiceContext>) {
    let responder = responder
    for method in [HTTPRequest.Method.get, .head] {
      router.on("/v1/downloads/{token}", method: method) { request, context in
        try await responder.respond(
          to: request, token: try context.pathParameter("token"), over: context.channel, logger: context.logger)
      }
    }
  }
}
