/// A form that makes a call of an API, with the equivalent `curl` command, collapsed. It needs no script: the server makes
/// the call from the form's fields. With `site.js`, the command shows what has been typed.
package struct CallForm {
  let call: APICall
  /// The title of the button.
  let title: String
  let calls: CallContext
  /// The button's style.
  let style: String
  /// The message after the call has succeeded.
  let done: String
  /// The address to open after the call has succeeded. `{name}` is replaced by the answer's member of that name.
  let next: String?
  /// The text of a checkbox that must be checked to send the form; nil for no checkbox.
  let confirmation: String?
  /// Whether the form is small, for lists.
  let isCompact: Bool
  /// The name of the file as which the browser saves the answer, of ASCII letters, digits, dots and hyphens; nil to show the
  /// next page instead.
  let download: String?
  /// The member of the answer that is shown once, such as a new secret; nil to show the next page instead.
  let reveals: String?

  package init(
    call: APICall, title: String, calls: CallContext, style: String = "", done: String = "Done.", next: String? = nil,
    confirmation: String? = nil, isCompact: Bool = false, download: String? = nil, reveals: String? = nil
  ) {
    self.call = call
    self.title = title
    self.calls = calls
    self.style = style
    self.done = done
    self.next = next
    self.confirmation = confirmation
    self.isCompact = isCompact
    self.download = download
    self.reveals = reveals
  }

  package var html: HTML {
    let id = call.id
    let fields = call.fields.map { FieldView(field: $0, form: id).html }
    return """
      <form class="call\(" call-compact", if: isCompact)" id="\(id)" method="post" action="\(calls.site)/call" \
      data-command="\(calls.site)/command"\(" data-quiet", if: download == nil) \
      autocomplete="off">\(calls.hiddenInputs(of: call))\(next.map { HTML.hiddenInput(PostedCall.next, $0) } ?? "")\
      \(download.map { HTML.hiddenInput(PostedCall.download, $0) } ?? "")\
      \(reveals.map { HTML.hiddenInput(PostedCall.reveal, $0) } ?? "")
      <div class="fields">\(fields)</div>\(confirmationInput)
      <div class="send"><button class="\(style)" id="\(id)-send" type="submit">\(title)</button>\
      <output id="\(id)-result" data-done="\(done)"></output></div>
      \(CommandView(id: id, title: title, text: calls.command(of: call)).html)
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
}

/// A button that makes a call whose fields have fixed values, for a page's header.
package struct CallButton {
  let call: APICall
  let title: String
  let calls: CallContext

  package init(call: APICall, title: String, calls: CallContext) {
    self.call = call
    self.title = title
    self.calls = calls
  }

  package var html: HTML {
    let constants = call.fields.map { FieldView(field: $0, form: call.id).html }
    return """
      <form class="button-call" method="post" action="\(calls.site)/call" data-quiet>\(calls.hiddenInputs(of: call))\(constants)\
      <button type="submit" id="\(call.id)-send">\(title)</button></form>
      """
  }
}

extension CallContext {
  /// The hidden inputs with a call's method and path, where it has its fields, and the form's token. ``PostedCall`` reads
  /// them. The fields of the call have their own inputs.
  fileprivate func hiddenInputs(of call: APICall) -> HTML {
    let place: HTML = call.place == .none ? "" : .hiddenInput(PostedCall.place, call.place.rawValue)
    return "\(HTML.hiddenInput(PostedCall.method, call.name))\(place)\(tokenInput(of: call))"
  }

  /// The hidden input with the token of a form that makes a call; nil if there is no session.
  package func tokenInput(of call: APICall) -> HTML? {
    session.map { .hiddenInput(PostedCall.token, FormToken.text(for: call, session: $0)) }
  }

  /// Checks that a form was made for the session that sends it.
  ///
  /// - Parameter token: the field ``PostedCall/token`` of the form; nil if it has none.
  /// - Throws: ``ErrorResponse``.
  package func check(token: String?, of call: APICall) throws(ErrorResponse) {
    guard let session, !FormToken.isRight(token, for: call, session: session) else { return }
    throw ErrorResponse(
      .forbidden, "foreignForm", "This form was made for another session. Load its page again.")
  }
}

extension HTML {
  fileprivate static func hiddenInput(_ name: String, _ value: String) -> HTML {
    "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
  }
}
