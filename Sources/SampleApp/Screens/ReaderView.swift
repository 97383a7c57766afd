import WebSupport

/// The page of an open book.
struct ReaderView: Hashable, Sendable {
  let title: String
  let version: Int64
  let files: [String]
  /// The index of the open file in `files`.
  let file: Int
  let page: BookPage

  var html: HTML {
    """
    <h1 class="book-title">\(.shortName(title))</h1>
    <form method="post" action="/app/books/close" data-quiet><button class="button-plain" id="book-close">Close the book</button></form>
    <nav class="files" aria-label="Parts of the book"><ul>\(files.enumerated().map(part))</ul></nav>
    <article class="book" id="book" data-live tabindex="0" aria-label="Page \(page.number) of \(page.count)">\(text)</article>
    <nav class="turning" aria-label="Pages" id="turning" data-live>
    \(turning(page.number - 1, "Previous page", if: page.number > 1))
    <span class="small muted">\(page.number) of \(page.count), edition \(version)</span>
    \(turning(page.number + 1, "Next page", if: page.number < page.count))
    </nav>
    """
  }

  private func part(_ place: Int, _ name: String) -> HTML {
    "<li><a href=\"\(Self.address(file: place, page: 1))\"\(" aria-current=\"true\"", if: place == file)>\(.shortName(name, limit: 40))</a></li>"
  }

  private var text: HTML {
    guard let text = page.text else { return "<p class=\"hint\">This part is not text: \(page.sizeBytes) bytes.</p>" }
    return "<p class=\"book-text\" dir=\"auto\">\(text)</p>"
  }

  private func turning(_ number: Int, _ title: String, if isThere: Bool) -> HTML {
    isThere
      ? "<a class=\"button\" href=\"\(Self.address(file: file, page: number))\">\(title)</a>"
      : "<span class=\"turned\" aria-hidden=\"true\"></span>"
  }

  static func address(file: Int, page: Int) -> String { "\(AppScreen.books.address)&file=\(file)&page=\(page)" }
}
