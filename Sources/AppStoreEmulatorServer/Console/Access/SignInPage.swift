import HTTPTypes
import Hummingbird
import WebSupport

/// The page that asks for the control token and begins a session.
struct SignInPage: Sendable {
  private struct Form: Decodable {
    let token: String
    let next: String?
  }

  let console: ConsoleContext
  let sessions: ConsoleSessions

  func respond(to request: Request, from address: NetworkAddress?) async throws -> Response {
    guard request.method == .post else { return page(next: "/", status: .ok, text: nil) }
    try BrowserOrigin.check(request)
    let form = try await request.form(Form.self, limitBytes: 1 << 14)
    let next = Self.isOurs(form.next ?? "/") ? form.next ?? "/" : "/"
    do {
      let cookie = try sessions.signIn(token: form.token, from: address)
      var response = Response.seeOther(next)
      response.headers[.setCookie] = SessionCookie.header(cookie, for: request, isSecure: console.scheme == "https")
      return response
    } catch .wrongToken {
      return page(next: next, status: .unauthorized, text: "That is not the control token.")
    } catch .tooManyAttempts(let seconds) {
      var response = page(
        next: next, status: .tooManyRequests,
        text: "There were too many wrong tokens. Try again in \(seconds) seconds.")
      response.headers[.retryAfter] = "\(seconds)"
      return response
    }
  }

  /// Answers a request without a session with the sign-in page.
  func asking(for request: Request) -> Response {
    let address = request.uri.path + (request.uri.query.map { "?\($0)" } ?? "")
    let isPage = request.method == .get && Self.isOurs(address) && request.uri.path != "/console/live"
    return page(next: isPage ? address : "/", status: .unauthorized, text: nil)
  }

  /// Whether the address is a page of the console. Excludes addresses on other hosts.
  static func isOurs(_ address: String) -> Bool {
    (address == "/" || address.hasPrefix("/?") || address.hasPrefix("/console/"))
      && address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  private func page(next: String, status: HTTPResponse.Status, text: String?) -> Response {
    let refusal: HTML = text.map { "<p class=\"notice\" role=\"alert\" id=\"refusal\">\($0)</p>" } ?? ""
    var response = console.bare(
      "Sign in", status: status,
      """
      <section class="card sign-in"><h1>Sign in</h1>\(refusal)
      <p>This emulator was started with a control token. Give it once; the session ends with the emulator.</p>
      <form method="post" action="/console/sign-in"><input type="hidden" name="next" value="\(next)">
      <p class="field"><label for="token">Control token</label>\
      <input type="password" id="token" name="token" required autocomplete="current-password"\
      \(" aria-describedby=\"refusal\"", if: text != nil)></p>
      <button class="button-primary" type="submit">Sign in</button></form></section>
      """)
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
