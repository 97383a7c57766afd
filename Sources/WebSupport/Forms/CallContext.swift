/// What the forms of a page need to make their calls: the API, the site's route for forms, and the session.
package struct CallContext: Sendable {
  /// The origin of the server, such as `http://127.0.0.1:8080`.
  package let origin: String
  /// The path before the endpoints' paths, such as `/control/v1`; empty if these are complete.
  let api: String
  /// The path of the site's own routes, such as `/console`.
  let site: String
  /// The environment variable with the token in a `curl` command; nil if the API needs none. The command never contains
  /// the token itself.
  let tokenVariable: String?
  /// The value of the session's cookie; nil if there is no session.
  let session: String?

  package init(origin: String, api: String, site: String, tokenVariable: String?, session: String? = nil) {
    self.origin = origin
    self.api = api
    self.site = site
    self.tokenVariable = tokenVariable
    self.session = session
  }

  /// Returns the path and the query of a call.
  func address(of call: APICall) -> String { "\(api)/\(call.address)" }

  /// Returns the `curl` command of a call, for a POSIX shell.
  ///
  /// - Parameter options: options of `curl` in addition to those of the call, quoted for the shell.
  package func command(of call: APICall, options: [String] = []) -> String {
    var lines = ["curl"]
    // Without this option, curl resolves `.` and `..` in the path.
    if call.hasDotSegments { lines[0] += " --path-as-is" }
    let hasData = call.body != nil || options.contains { $0.hasPrefix("--data") }
    if call.method != .get && !(call.method == .post && hasData) { lines[0] += " -X \(call.method.rawValue)" }
    lines[0] += " " + ShellText.quoted(origin + address(of: call))
    if call.body != nil { lines.append("-H 'Content-Type: application/json'") }
    if let tokenVariable { lines.append(#"-H "Authorization: Bearer $\#(tokenVariable)""#) }
    if let body = call.body { lines.append("--data-raw " + ShellText.quoted(body)) }
    lines += options
    return lines.joined(separator: " \\\n  ")
  }
}

/// Text for a POSIX shell.
package enum ShellText {
  /// Quotes `text` as one word. The text must not contain U+0000.
  package static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy(isPlain)
    if isPlain { return text }
    // Compares Unicode scalars, because a quotation mark with a combining accent is another `Character`.
    return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~/:%".utf8.contains(byte)
    }
  }
}

/// A command for a shell, collapsed, with a button to copy it.
package struct CommandView {
  /// An id that is unique on the page. The ids of the elements begin with it.
  let id: String
  /// The title of the action that the command carries out.
  let title: String
  let text: String

  package init(id: String, title: String, text: String) {
    self.id = id
    self.title = title
    self.text = text
  }

  package var html: HTML {
    """
    <details id="\(id)-fold" class="folded-command"><summary>curl<span class="sr-only"> for: \(title)</span></summary>\
    <div class="copyable"><pre id="\(id)-command" class="command" tabindex="0" aria-label="Command for: \(title)">\
    \(text)</pre>\(CopyableText.button(of: "\(id)-command", what: "command"))</div></details>
    """
  }
}
