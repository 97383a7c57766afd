import WebSupport

/// The form of a call, with the command that does the same.
///
/// The control door takes JSON only, which a browser cannot send without a script: until `console.js` has been there the button is
/// disabled, and the command is what there is.
struct CallForm {
  let call: ControlCall
  /// What the button says.
  let title: String
  let command: ShellCommand
  var style = ""
  /// What is said when it is done.
  var done = "Done."
  /// The address to go to when it is done; `{name}` stands for a member of the answer.
  var next: String?
  /// The command is folded away: for forms that stand in lists.
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
