/// A preformatted text with a button that copies it.
package struct CopyableText {
  /// An id that is unique on the page.
  package let id: String
  package let title: String
  package let text: String

  package init(id: String, title: String, text: String) {
    self.id = id
    self.title = title
    self.text = text
  }

  package var html: HTML {
    "<div class=\"copyable\"><pre id=\"\(id)\" tabindex=\"0\">\(text)</pre>\(Self.button(of: id, what: title))</div>"
  }

  /// The button is hidden until the page's script shows it, because it needs the script.
  package static func button(of id: String, what: String) -> HTML {
    """
    <button type="button" class="copy" data-copy="\(id)" hidden>Copy<span class="sr-only"> \(what)</span></button>
    """
  }
}

/// A long text, collapsed, with a button to copy it and a link to download it.
package struct FoldedText {
  /// An id that is unique on the page.
  package let id: String
  package let title: String
  package let text: String
  /// The address that returns the text as a file; nil for no link.
  package let download: String?

  package init(id: String, title: String, text: String, download: String? = nil) {
    self.id = id
    self.title = title
    self.text = text
    self.download = download
  }

  package var html: HTML {
    let link: HTML =
      download.map {
        "<p class=\"small\"><a href=\"\($0)\" download>Download<span class=\"sr-only\"> \(title)</span></a></p>"
      } ?? ""
    return """
      <details id="\(id)-fold"><summary>\(title)</summary>
      \(CopyableText(id: id, title: title, text: text).html)\(link)</details>
      """
  }
}
