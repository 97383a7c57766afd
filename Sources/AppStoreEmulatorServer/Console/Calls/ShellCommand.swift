import WebSupport

/// The `curl` command of a call, for a POSIX shell.
struct ShellCommand {
  /// The origin of the emulator, such as `http://127.0.0.1:8080`.
  let origin: String
  /// Whether the control API needs a token. The command never contains the token itself.
  let needsToken: Bool

  /// - Parameter options: options of `curl` in addition to those of the call, quoted for the shell.
  func text(of call: ControlCall, options: [String] = []) -> String {
    var lines = ["curl"]
    // Without this option, curl resolves `.` and `..` in the path.
    if call.hasDotSegments { lines[0] += " --path-as-is" }
    let hasData = call.hasBody || options.contains { $0.hasPrefix("--data") }
    if call.method != .get && !(call.method == .post && hasData) { lines[0] += " -X \(call.method.rawValue)" }
    lines[0] += " " + Self.quoted(origin + call.address)
    if call.body != nil { lines.append("-H 'Content-Type: application/json'") }
    if needsToken { lines.append(#"-H "Authorization: Bearer $OPENSTOREKIT_CONTROL_TOKEN""#) }
    if let body = call.body { lines.append("--data-raw " + Self.quoted(body)) }
    lines += options
    return lines.joined(separator: " \\\n  ")
  }

  /// Quotes `text` as one word of a POSIX shell. The text must not contain U+0000.
  static func quoted(_ text: String) -> String {
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
