import HTTPTypes
import Hummingbird

/// Protects pages that only browsers on this machine may use.
///
/// It refuses host names other than localhost, because another site can point its own name to this machine (DNS
/// rebinding). It also refuses requests other than GET and HEAD from pages of another origin.
package struct LocalOriginMiddleware<Context: RequestContext>: RouterMiddleware {
  private let program: String

  /// - Parameter program: the program's name in the error message.
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
