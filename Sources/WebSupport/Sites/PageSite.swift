import HTTPTypes
import Hummingbird

/// A section of a site, in the order of the navigation.
package protocol PageSection: CaseIterable, Equatable, Sendable {
  var title: String { get }
  /// The key that opens the section if the user presses it after the key G.
  var key: String { get }
  var address: String { get }
}

/// Pages that belong together: their frame, their sections, and the API that their forms call.
package protocol PageSite: Sendable {
  associatedtype Section: PageSection

  /// The program's name, and the address of its first page.
  var program: PageLink { get }
  /// The path of the site's own routes, such as `/console`.
  var path: String { get }
  /// The path before the paths of the API's endpoints, such as `/control/v1`; empty if these are complete.
  var api: String { get }
  /// Whether the site has an event stream at `PATH/live`, after whose events open pages load their content again.
  var isLive: Bool { get }
  /// The name of the cookie with a session; nil if the pages need no session.
  var cookie: SessionCookie? { get }
  /// The environment variable with the API's token in `curl` commands; nil if the API needs none.
  var tokenVariable: String? { get }
  /// The origins whose pages may show the site in a frame.
  var framedBy: [String] { get }
  /// Stylesheets and scripts in addition to those of every site.
  var stylesheets: [PageAsset] { get }
  var scripts: [PageAsset] { get }
  var search: SiteSearch { get }
  /// Keyboard shortcuts in addition to those of every site: the key, and what it does.
  var shortcuts: [(key: String, title: String)] { get }

  /// Returns `http` or `https`, which the browser has used for a request.
  func scheme(of request: Request) -> String
  /// Returns the HTML at the end of the header.
  func status(_ calls: CallContext) -> HTML
  /// Returns the refusal that an error of a page causes; nil if it is an internal error.
  func refusal(of error: any Error) -> PageRefusal?
}

extension PageSite {
  package var framedBy: [String] { [] }
  package var stylesheets: [PageAsset] { [] }
  package var scripts: [PageAsset] { [] }
  package var shortcuts: [(key: String, title: String)] { [] }

  /// The files that the site's pages need. They belong to no session.
  package var assets: PageAssets { PageAssets([.siteStylesheet, .siteScript] + stylesheets + scripts) }

  /// What the forms of a page need, which answers `request`.
  package func calls(for request: Request) -> CallContext {
    CallContext(
      origin: "\(scheme(of: request))://\(request.head.authority ?? "localhost")", api: api, site: path,
      tokenVariable: tokenVariable, session: cookie?.value(in: request))
  }

  package func page(
    _ title: String, in section: Section?, for request: Request, status: HTTPResponse.Status = .ok, _ main: HTML
  ) -> Response {
    var frame = frame(title)
    frame.navigation = Section.allCases.map { PageLink($0.title, $0.address, isCurrent: $0 == section) }
    if isLive { frame.live = "\(path)/live" }
    frame.tools = SiteTools(site: self).html
    let calls = calls(for: request)
    frame.status = "\(self.status(calls))\(signOut, if: cookie != nil)"
    return .page(frame.page(main), status: status, framedBy: framedBy)
  }

  /// A page without navigation and without data.
  func bare(_ title: String, status: HTTPResponse.Status, _ main: HTML) -> Response {
    .page(frame(title).page(main), status: status, framedBy: framedBy)
  }

  private func frame(_ title: String) -> PageFrame {
    PageFrame(
      title: title, program: program, stylesheets: [.siteStylesheet] + stylesheets, scripts: [.siteScript] + scripts,
      kind: "site")
  }

  private var signOut: HTML {
    """
    <form class="sign-out" method="post" action="\(path)/sign-out"><button type="submit" class="button-plain">Sign out</button></form>
    """
  }

  /// Returns the page that `make` returns. If `make` throws an error that has a ``PageRefusal``, returns a page with the
  /// refusal. Throws all other errors.
  package func answering(
    in section: Section?, for request: Request, _ make: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await make()
    } catch {
      guard let refusal = error as? PageRefusal ?? refusal(of: error) else { throw error }
      return refused(refusal, in: section, for: request)
    }
  }

  package func refused(_ refusal: PageRefusal, in section: Section?, for request: Request) -> Response {
    let title = refusal.status == .notFound ? "Not found" : "Not possible"
    let first = Section.allCases.first
    return page(
      title, in: section, for: request, status: refusal.status,
      """
      <h1>\(title)</h1>
      <p class="notice">\(refusal.text)</p>
      <p><a href="\(program.address)">All \(first?.title.lowercased())</a></p>
      """)
  }
}

extension PageAsset {
  static let siteStylesheet = PageAsset.stylesheet("site.css", PackageResources.site_css)
  static let siteScript = PageAsset.script("site.js", PackageResources.site_js)
}
