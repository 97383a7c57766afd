import WebSupport

/// The books screen: the server's list, or the open book.
enum BooksView: Hashable, Sendable {
  /// The app has no purchase server, and so no books.
  case noServer
  case list(lines: [ShopItem], canRestore: Bool)
  case reading(ReaderView)

  var html: HTML {
    switch self {
    case .noServer:
      return """
        <h1>Books</h1>
        <p class="hint">Books come from the developer’s server. Start one that sells them, and give its address to this device; \
        <code>openstorekit demo</code> does both.</p>
        <pre class="command">openstorekit server --config server.json --port 8090
        openstorekit device --store … --server http://127.0.0.1:8090</pre>
        """
    case .list(let lines, let canRestore):
      let none: HTML = "<p class=\"hint\">The server has not sent its list of books yet, or has none.</p>"
      return """
        <h1>Books</h1>
        <div id="books-none" data-live>\(none, if: lines.isEmpty)</div>
        \(lines.html(on: .books, "books-shop"))
        <div class="actions" id="books-actions" data-live>
        <form method="post" action="/app/books/refresh" data-quiet><button id="books-refresh">Look for new books</button></form>
        \(RestoreButton(screen: .books, canRestore: canRestore).html)
        </div>
        """
    case .reading(let reader): return reader.html
    }
  }
}
