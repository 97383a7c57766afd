import HTTPTypes
import Hummingbird

/// The page that asks for a token and begins a session.
struct SignInPage<Site: PageSite, Access: SiteAccess>: Sendable {
  let site: Site
  let access: Access
  let cookie: SessionCookie
  let text: SignInText

  private struct Form: Decodable {
    let token: String
    let next: String?
  }

  private var first: String { site.program.address }

  func respond(to request: Request, from address: NetworkAddress?) async throws -> Response {
    guard request.method == .post else { return page(next: first, status: .ok, refusal: nil) }
    try BrowserOrigin.check(request)
    let form = try await request.form(Form.self, limitBytes: 1 << 14)
    let next = form.next.flatMap { isOurs($0) ? $0 : nil } ?? first
    do {
      let session = try await access.signIn(token: form.token, from: address)
      var response = Response.seeOther(next)
      response.headers[.setCookie] = cookie.header(
        session, for: request, isSecure: site.scheme(of: request) == "https")
      return response
    } catch SignInRefusal.wrongToken {
      return page(next: next, status: .unauthorized, refusal: text.refusal)
    } catch SignInRefusal.tooManyAttempts(let seconds) {
      var response = page(
        next: next, status: .tooManyRequests,
        refusal: "There were too many \(text.wrongOnes). Try again in \(seconds) seconds.")
      response.headers[.retryAfter] = "\(seconds)"
      return response
    }
  }

  /// Answers a request without a session with the sign-in page.
  func asking(for request: Request) -> Response {
    let address = request.uri.path + (request.uri.query.map { "?\($0)" } ?? "")
    let isPage = request.method == .get && isOurs(address) && request.uri.path != "\(site.path)/live"
    return page(next: isPage ? address : first, status: .unauthorized, refusal: nil)
  }

  /// Whether the address is a page of the site. Excludes addresses on other hosts.
  private func isOurs(_ address: String) -> Bool {
    (address == first || address.hasPrefix("\(first)?") || address.hasPrefix("\(site.path)/"))
      && address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  private func page(next: String, status: HTTPResponse.Status, refusal: String?) -> Response {
    let notice: HTML = refusal.map { "<p class=\"notice\" role=\"alert\" id=\"refusal\">\($0)</p>" } ?? ""
    var response = site.bare(
      "Sign in", status: status,
      """
      <section class="card sign-in"><h1>Sign in</h1>\(notice)
      <p>\(text.explanation)</p>
      <form method="post" action="\(site.path)/sign-in"><input type="hidden" name="next" value="\(next)">
      <p class="field"><label for="token">\(text.label)</label>\
      <input type="password" id="token" name="token" required autocomplete="current-password"\
      \(" aria-describedby=\"refusal\"", if: refusal != nil)></p>
      <button class="button-primary" type="submit">Sign in</button></form></section>
      """)
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
