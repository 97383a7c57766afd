import WebSupport

/// A form that makes a call of the control API, with the equivalent `curl` command. It needs no script: the server
/// makes the call from the form's fields. With `console.js`, the command shows what has been typed.
struct CallForm {
  let call: ControlCall
  /// The title of the button.
  let title: String
  let command: ShellCommand
  var style = ""
  /// The message after the call has succeeded.
  var done = "Done."
  /// The address to open after the call has succeeded. `{name}` is replaced by the answer's member of that name.
  var next: String?
  /// Whether the command is collapsed, for forms in lists.
  var isCompact = false

  var html: HTML {
    let id = call.id
    let fields = call.fields.map { FieldView(field: $0, form: id).html }
    return """
      <form class="call\(" call-compact", if: isCompact)" id="\(id)" method="post" action="/console/call" data-quiet \
      autocomplete="off">\(hidden("call", PostedCall.text(of: call)))\(call.hasBody ? hidden("body", "json") : "")\
      \(next.map { hidden("next", $0) } ?? "")
      <div class="fields">\(fields)</div>
      <div class="send"><button class="\(style)" id="\(id)-send" type="submit">\(title)</button>\
      <output id="\(id)-result" data-done="\(done)"></output></div>
      \(isCompact ? foldedCommand : openCommand)
      </form>

      """
  }

  private func hidden(_ name: String, _ value: String) -> HTML {
    "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
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
