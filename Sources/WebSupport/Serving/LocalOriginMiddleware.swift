import HTTPTypes
import Hummingbird

/// Stands before the pages of a program that only this machine's browsers use: refuses other host names, because a page whose name was
/// pointed here is to get nothing, and whatever would change something and comes from a page of another origin.
package struct LocalOriginMiddleware<Context: RequestContext>: RouterMiddleware {
  private let program: String

  /// - Parameter program: what the pages are of, for the refusal.
  package init(program: String) { self.program = program }

  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      try request.checkText()
      let authority = request.head.authority ?? ""
      guard HostAuthority(authority)?.isLoopback == true else {
        throw ErrorResponse(
          .misdirectedRequest, "foreignHost",
          "This \(program) answers to localhost only, not to \(authority.prefix(255).debugDescription).")
      }
      if request.method != .get && request.method != .head { try BrowserOrigin.check(request) }
      return try await next(request, context)
    } catch let refusal as ErrorResponse {
      return refusal.response
    }
  }
}
