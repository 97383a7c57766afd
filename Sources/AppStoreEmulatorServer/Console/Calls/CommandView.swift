import WebSupport

/// A command for a shell, collapsed, with a button to copy it.
struct CommandView {
  /// An id that is unique on the page. The ids of the elements begin with it.
  let id: String
  /// The title of the action that the command carries out.
  let title: String
  let text: String

  var html: HTML {
    """
    <details id="\(id)-fold" class="folded-command"><summary>curl<span class="sr-only"> for: \(title)</span></summary>\
    <div class="copyable"><pre id="\(id)-command" class="command" tabindex="0" aria-label="Command for: \(title)">\
    \(text)</pre>\(FoldedText.copyButton(of: "\(id)-command", what: "command"))</div></details>
    """
  }
}
