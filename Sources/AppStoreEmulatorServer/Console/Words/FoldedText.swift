import WebSupport

/// A long value, folded away, with a button that copies it.
struct FoldedText {
  /// Unique on its page.
  let id: String
  let title: String
  let text: String

  var html: HTML {
    """
    <details id="\(id)-fold"><summary>\(title)</summary>
    <div class="copyable"><pre id="\(id)" tabindex="0">\(text)</pre>\(Self.copyButton(of: id, what: title))</div></details>
    """
  }

  /// Does nothing without the page's script, which shows it.
  static func copyButton(of id: String, what: String) -> HTML {
    """
    <button type="button" class="copy" data-copy="\(id)" hidden>Copy<span class="sr-only"> \(what)</span></button>
    """
  }
}
