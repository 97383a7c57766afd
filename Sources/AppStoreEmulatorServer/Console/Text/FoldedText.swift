import WebSupport

/// A long text, collapsed, with a button to copy it.
struct FoldedText {
  /// An id that is unique on the page.
  let id: String
  let title: String
  let text: String

  var html: HTML {
    """
    <details id="\(id)-fold"><summary>\(title)</summary>
    <div class="copyable"><pre id="\(id)" tabindex="0">\(text)</pre>\(Self.copyButton(of: id, what: title))</div></details>
    """
  }

  /// The button is hidden until the page's script shows it, because it needs the script.
  static func copyButton(of id: String, what: String) -> HTML {
    """
    <button type="button" class="copy" data-copy="\(id)" hidden>Copy<span class="sr-only"> \(what)</span></button>
    """
  }
}
