import HTTPTypes
import Hummingbird
import WebSupport

/// Answers requests to the console's pages. If there is a control token, requests without a session get the sign-in
/// page.
struct ConsoleResponder: Sendable {
  let console: ConsoleContext
  /// The sessions; nil if there is no control token.
  let sessions: ConsoleSessions?
  let pages: RouterResponder<EmulatorRequestContext>

  /// Whether the first part of a path belongs to the console. Nil stands for `/`.
  static func isConsole(_ api: Substring?) -> Bool { api == nil || api == "console" || api == "assets" }

  func respond(to request: Request, context: EmulatorRequestContext) async throws -> Response {
    let path = request.uri.path.split(separator: "/")
    if let sessions {
      if path == ["console", "sign-in"] {
        return try await SignInPage(console: console, sessions: sessions).respond(
          to: request, from: context.callerAddress)
      }
      if path == ["console", "sign-out"], request.method == .post {
        try BrowserOrigin.check(request)
        if let cookie = request.sessionCookie { sessions.end(cookie) }
        return leaving(request)
      }
      // Stylesheet and script need no sign-in, because they contain no data of the store.
      if path.first != "assets", try !isAdmitted(request, sessions, context) {
        return SignInPage(console: console, sessions: sessions).asking(for: request)
      }
    }
    if path == ["console", "live"] { try BrowserOrigin.check(request) }
    let response = try await pages.respond(to: request, context: context)
    guard response.status == .notFound, response.headers[.contentType] == nil else { return response }
    return console.refused(ConsoleRefusal(.notFound, "There is no page \(request.uri.path) here."), in: nil)
  }

  /// Whether the request has a session or the control token.
  ///
  /// - Throws: ``ErrorResponse`` if the address has sent too many wrong tokens.
  private func isAdmitted(
    _ request: Request, _ sessions: ConsoleSessions, _ context: EmulatorRequestContext
  ) throws(ErrorResponse) -> Bool {
    if let cookie = request.sessionCookie, sessions.admits(cookie) { return true }
    return try sessions.admits(bearerOf: request, from: context.callerAddress)
  }

  private func leaving(_ request: Request) -> Response {
    var response = Response.seeOther("/console/sign-in")
    response.headers[.setCookie] = SessionCookie.header("", for: request, isSecure: console.scheme == "https")
    return response
  }
}
