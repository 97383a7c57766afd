import WebSupport

/// A form that makes a call of the control API, with the equivalent `curl` command, collapsed. It needs no script: the
/// server makes the call from the form's fields. With `console.js`, the command shows what has been typed.
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
  /// The text of a checkbox that must be checked to send the form; nil for no checkbox.
  var confirmation: String?
  /// Whether the form is small, for lists.
  var isCompact = false

  var html: HTML {
    let id = call.id
    let fields = call.fields.map { FieldView(field: $0, form: id).html }
    return """
      <form class="call\(" call-compact", if: isCompact)" id="\(id)" method="post" action="/console/call" data-quiet \
      autocomplete="off">\(call.hiddenInputs)\(next.map { HTML.hiddenInput(PostedCall.next, $0) } ?? "")
      <div class="fields">\(fields)</div>\(confirmationInput)
      <div class="send"><button class="\(style)" id="\(id)-send" type="submit">\(title)</button>\
      <output id="\(id)-result" data-done="\(done)"></output></div>
      \(foldedCommand)
      </form>

      """
  }

  private var confirmationInput: HTML {
    guard let confirmation else { return "" }
    return """
      \(HTML.hiddenInput(PostedCall.confirmation, "required"))<label class="check" for="\(call.id)-confirmed">\
      <input type="checkbox" id="\(call.id)-confirmed" name="\(PostedCall.confirmation)" value="given" required data-once> \
      \(confirmation)</label>
      """
  }

  private var foldedCommand: HTML {
    CommandView(id: call.id, title: title, text: command.text(of: call)).html
  }
}

/// A button that makes a call whose fields have fixed values, for a page's header.
struct CallButton {
  let call: ControlCall
  let title: String

  var html: HTML {
    let constants = call.fields.map { FieldView(field: $0, form: call.id).html }
    return """
      <form class="button-call" method="post" action="/console/call" data-quiet>\(call.hiddenInputs)\(constants)\
      <button type="submit" id="\(call.id)-send">\(title)</button></form>
      """
  }
}

extension ControlCall {
  /// The hidden inputs with the call's method and path, and whether it has a body. ``PostedCall`` reads them. The
  /// fields of the call have their own inputs.
  fileprivate var hiddenInputs: HTML {
    "\(HTML.hiddenInput(PostedCall.method, PostedCall.text(of: self)))\(HTML.hiddenInput(PostedCall.body, "json"), if: hasBody)"
  }
}

extension HTML {
  fileprivate static func hiddenInput(_ name: String, _ value: String) -> HTML {
    "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
  }
}
