/// The `curl` command that sends a call, for a POSIX shell. `console.js` writes the same text.
struct ShellCommand {
  /// Where the emulator is, such as `http://127.0.0.1:8080`.
  let origin: String
  /// Whether the control door asks for a token. The token itself is never shown.
  let needsToken: Bool

  func text(of call: ControlCall) -> String {
    var lines = ["curl"]
    // What the command line takes out of a path itself would be another path.
    if !call.isAddressable { lines[0] += " --path-as-is" }
    if call.method != .get && !(call.method == .post && call.hasBody) { lines[0] += " -X \(call.method.rawValue)" }
    lines[0] += " " + Self.quoted(origin + call.address)
    if call.method != .get { lines.append("-H 'Content-Type: application/json'") }
    if needsToken { lines.append(#"-H "Authorization: Bearer $OPENSTOREKIT_CONTROL_TOKEN""#) }
    if let body = call.body { lines.append("--data-raw " + Self.quoted(body)) }
    return lines.joined(separator: " \\\n  ")
  }

  /// One word of a POSIX shell that stands for `text`, which has no U+0000.
  static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy(isPlain)
    if isPlain { return text }
    // By scalars: with an accent after it, a quotation mark is no quotation mark to a comparison of characters.
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
