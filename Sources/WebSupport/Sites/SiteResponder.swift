import HTTPTypes
import Hummingbird

/// Answers requests to a site's pages. If the site has sessions, requests without a session get the sign-in page.
package struct SiteResponder<Site: PageSite, Access: SiteAccess, Context: RequestContext>: Sendable {
  package let site: Site
  /// The sessions; nil if the pages need none.
  package let access: Access?
  private let text: SignInText
  private let pages: RouterResponder<Context>

  package init(site: Site, access: Access?, text: SignInText, pages: RouterResponder<Context>) {
    self.site = site
    self.access = access
    self.text = text
    self.pages = pages
  }

  /// - Parameter address: the client's address; nil in tests without a connection.
  package func respond(
    to request: Request, context: Context, from address: NetworkAddress?
  ) async throws -> Response {
    let path = "/" + request.uri.path.split(separator: "/").joined(separator: "/")
    if let access, let cookie = site.cookie {
      let signIn = SignInPage(site: site, access: access, cookie: cookie, text: text)
      let session = cookie.value(in: request)
      if path == "\(site.path)/sign-in" { return try await signIn.respond(to: request, from: address) }
      if path == "\(site.path)/sign-out", request.method == .post {
        try BrowserOrigin.check(request)
        if let session { try await access.end(session) }
        var response = Response.seeOther("\(site.path)/sign-in")
        response.headers[.setCookie] = cookie.header(
          "", for: request, isSecure: site.scheme(of: request) == "https")
        return response
      }
      // Stylesheets and scripts need no sign-in, because they contain no data.
      if !path.hasPrefix("/assets/"), try await !access.admits(request, cookie: session, from: address) {
        return signIn.asking(for: request)
      }
    }
    if path == "\(site.path)/live" { try BrowserOrigin.check(request) }
    let response = try await pages.respond(to: request, context: context)
    guard response.status == .notFound, response.headers[.contentType] == nil else { return response }
    return site.refused(
      PageRefusal(.notFound, "There is no page \(request.uri.path) here."), in: nil, for: request)
  }
}
