/// The layout of all pages of a program: head, navigation and status.
package struct PageFrame: Sendable {
  /// The subject of the page, which is the first part of the window's title.
  package var title: String
  /// The program's name, and the address of its first page.
  package var program: PageLink
  /// Links to the program's other pages; empty for none.
  package var navigation: [PageLink]
  /// The address of the event stream that reports changes; nil for a page that never changes.
  package var live: String?
  /// Stylesheets in addition to `pages.css`.
  package var stylesheets: [PageAsset]
  /// Scripts in addition to `pages.js`.
  package var scripts: [PageAsset]
  /// HTML in the page's header that live updates do not replace, such as a search field.
  package var tools: HTML
  /// HTML at the end of the page's header, such as the store's clock.
  package var status: HTML
  /// Identifies the kind of page in stylesheets.
  package var kind: String

  package init(
    title: String, program: PageLink, navigation: [PageLink] = [], live: String? = nil,
    stylesheets: [PageAsset] = [], scripts: [PageAsset] = [], tools: HTML = .empty, status: HTML = .empty,
    kind: String = "plain"
  ) {
    self.title = title
    self.program = program
    self.navigation = navigation
    self.live = live
    self.stylesheets = stylesheets
    self.scripts = scripts
    self.tools = tools
    self.status = status
    self.kind = kind
  }

  /// Returns the whole page. `main` is the content of its main landmark, including its first heading.
  package func page(_ main: HTML) -> HTML {
    let styles = ([PageAsset.stylesheet] + stylesheets).map {
      "<link rel=\"stylesheet\" href=\"\($0.address)\">" as HTML
    }
    let code = ([PageAsset.script] + scripts).map { "<script src=\"\($0.address)\" defer></script>" as HTML }
    let links: HTML =
      navigation.isEmpty
      ? .empty : "<nav aria-label=\"\(program.title)\"><ul>\(navigation.map(\.html))</ul></nav>"
    let stream: HTML = live.map { " data-stream=\"\($0)\"" } ?? .empty
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title) · \(program.title)</title>
      <link rel="icon" href="\(PageAsset.icon.address)">
      \(styles)
      \(code)
      </head>
      <body class="page-\(kind)"\(stream)>
      <a class="skip" href="#main">Skip to content</a>
      <header class="top">
      <a class="brand" href="\(program.address)">\(program.title)</a>
      \(links)\(tools)
      <div class="status" id="status" data-live>\(status)</div>
      </header>
      <div id="notice" class="notice" role="alert" hidden></div>
      <div id="lost" class="notice notice-wait" role="status" hidden>Not connected. The page shows what was last known.</div>
      <main id="main" tabindex="-1">
      \(main)
      </main>
      </body>
      </html>

      """
  }
}

/// A link of a page's navigation.
package struct PageLink: Sendable {
  package let title: String
  package let address: String
  /// Whether it links to the current page.
  package let isCurrent: Bool

  package init(_ title: String, _ address: String, isCurrent: Bool = false) {
    self.title = title
    self.address = address
    self.isCurrent = isCurrent
  }

  var html: HTML {
    "<li><a href=\"\(address)\"\(" aria-current=\"page\"", if: isCurrent)>\(title)</a></li>"
  }
}
