import StoreModel

extension JSONValue {
  /// The value as an indented JSON document with sorted keys and a final line feed.
  ///
  /// Characters that a terminal does not show plainly are escaped, even if JSON allows them.
  var document: String { lines.joined(separator: "\n") + "\n" }

  /// The lines of ``document``.
  var lines: [String] {
    var text = ""
    write(to: &text, indentation: 0)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func write(to text: inout String, indentation: Int) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let string): text += JSONText.string(string)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indentation) { $0.write(to: &$1, indentation: indentation + 2) }
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      Self.write(sorted, "{", "}", to: &text, indentation) { member, text in
        text += JSONText.string(member.key) + ": "
        member.value.write(to: &text, indentation: indentation + 2)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ open: String, _ close: String, to text: inout String, _ indentation: Int,
    _ body: (Element, inout String) -> Void
  ) {
    text += open
    for (place, element) in elements.enumerated() {
      text += (place == 0 ? "\n" : ",\n") + String(repeating: " ", count: indentation + 2)
      body(element, &text)
    }
    if !elements.isEmpty { text += "\n" + String(repeating: " ", count: indentation) }
    text += close
  }
}
