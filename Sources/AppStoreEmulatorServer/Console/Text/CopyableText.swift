import WebSupport

/// A preformatted text with a button that copies it.
struct CopyableText {
  /// An id that is unique on the page.
  let id: String
  let title: String
  let text: String

  var html: HTML {
    "<div class=\"copyable\"><pre id=\"\(id)\" tabindex=\"0\">\(text)</pre>\(Self.button(of: id, what: title))</div>"
  }

  /// The button is hidden until the page's script shows it, because it needs the script.
  static func button(of id: String, what: String) -> HTML {
    """
    <button type="button" class="copy" data-copy="\(id)" hidden>Copy<span class="sr-only"> \(what)</span></button>
    """
  }
}
