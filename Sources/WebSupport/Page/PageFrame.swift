/// What stands around every page of a program.
package struct PageFrame: Sendable {
  /// What the page is about: the first part of the window's title.
  package var title: String
  /// What the program calls itself, and where it begins.
  package var program: PageLink
  /// The program's other pages; empty for none.
  package var navigation: [PageLink]
  /// The address of the stream that tells of changes; nil for a page that never changes.
  package var live: String?
  /// Beside `pages.css`.
  package var stylesheets: [PageAsset]
  /// Beside `pages.js`.
  package var scripts: [PageAsset]
  /// What stands at the end of the head of the page, such as the store's clock.
  package var status: HTML
  /// A name for the page in stylesheets.
  package var kind: String

  package init(
    title: String, program: PageLink, navigation: [PageLink] = [], live: String? = nil,
    stylesheets: [PageAsset] = [], scripts: [PageAsset] = [], status: HTML = .empty, kind: String = "plain"
  ) {
    self.title = title
    self.program = program
    self.navigation = navigation
    self.live = live
    self.stylesheets = stylesheets
    self.scripts = scripts
    self.status = status
    self.kind = kind
  }

  /// The whole page. `main` is what is in its main landmark, with its own first heading.
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
      \(links)
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
