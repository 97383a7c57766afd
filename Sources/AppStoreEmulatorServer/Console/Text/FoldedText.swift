import WebSupport

/// A long text, collapsed, with a button to copy it and a link to download it.
struct FoldedText {
  /// An id that is unique on the page.
  let id: String
  let title: String
  let text: String
  /// The address that returns the text as a file; nil for no link.
  var download: String?

  var html: HTML {
    let link: HTML =
      download.map {
        "<p class=\"small\"><a href=\"\($0)\" download>Download<span class=\"sr-only\"> \(title)</span></a></p>"
      } ?? ""
    return """
      <details id="\(id)-fold"><summary>\(title)</summary>
      \(CopyableText(id: id, title: title, text: text).html)\(link)</details>
      """
  }

  /// A button that copies the element `id`.
  static func copyButton(of id: String, what: String) -> HTML { CopyableText.button(of: id, what: what) }
}
