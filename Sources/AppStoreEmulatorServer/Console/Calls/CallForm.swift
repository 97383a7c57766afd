import WebSupport

/// A form that sends a call of the control API, with the equivalent `curl` command.
///
/// The control API accepts JSON only, which a browser can send only from a script. So the button is disabled until
/// `console.js` has enabled it. Without the script, the command can be used.
struct CallForm {
  let call: ControlCall
  /// The title of the button.
  let title: String
  let command: ShellCommand
  var style = ""
  /// The message after the call has succeeded.
  var done = "Done."
  /// The address to open after the call has succeeded. `{name}` is replaced by that member of the answer.
  var next: String?
  /// Whether the command is collapsed, for forms in lists.
  var isCompact = false

  var html: HTML {
    let id = call.id
    let body: HTML = call.hasBody ? " data-body" : ""
    let next: HTML = next.map { " data-next=\"\($0)\"" } ?? ""
    let fields = call.fields.map { FieldView(field: $0, form: id).html }
    return """
      <form class="call\(" call-compact", if: isCompact)" id="\(id)" data-call="\(call.method.rawValue)" \
      data-address="\(call.address)" data-origin="\(command.origin)"\(body)\(next) data-done="\(done)"\
      \(" data-token", if: command.needsToken) autocomplete="off">
      <div class="fields">\(fields)</div>
      <div class="send">\(button)<output id="\(id)-said"></output></div>
      \(isCompact ? foldedCommand : openCommand)
      </form>

      """
  }

  private var button: HTML {
    guard call.isAddressable else {
      return "<p class=\"small muted\">Browsers cannot ask for a path with “..” in it. The command can.</p>"
    }
    return "<button class=\"\(style)\" id=\"\(call.id)-send\" type=\"submit\" disabled>\(title)</button>"
  }

  private var commandText: HTML {
    let id = "\(call.id)-command"
    return """
      <div class="copyable"><pre id="\(id)" class="command" tabindex="0" aria-label="Command for: \(title)">\
      \(command.text(of: call))</pre>\(FoldedText.copyButton(of: id, what: "command"))</div>
      """
  }

  private var openCommand: HTML {
    "<div class=\"same\"><p class=\"label\">The same as a command</p>\(commandText)</div>"
  }

  private var foldedCommand: HTML {
    "<details id=\"\(call.id)-fold\"><summary>curl<span class=\"sr-only\"> for: \(title)</span></summary>\(commandText)</details>"
  }
}
