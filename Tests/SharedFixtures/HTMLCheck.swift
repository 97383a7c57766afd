/// A strict parser of the HTML that this program writes. It checks that elements are closed, that attributes are in double
/// quotes, and that `<` and `&` in text are escaped.
///
/// It accepts only the elements that the pages use, and no `style` or event attributes, so it detects injected markup.
package struct HTMLCheck {
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
  }

  package struct Element {
    package let name: String
    package let attributes: [String: String]
  }

  package private(set) var elements: [Element] = []
  /// The text outside of tags, decoded.
  package private(set) var text = ""
  /// The text of each `pre` and `textarea` element, by its id.
  package private(set) var preformatted: [String: String] = [:]

  private static let empty: Set = ["meta", "link", "input", "br", "hr", "img", "wbr"]
  private static let known: Set = [
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "ul", "li", "div", "main", "h1",
    "h2", "h3", "h4", "p", "span", "form", "label", "input", "select", "option", "button", "table", "caption", "thead",
    "tbody", "tr",
    "th", "td", "section", "dl", "dt", "dd", "ol", "time", "bdi", "details", "summary", "pre", "output", "fieldset",
    "legend", "wbr", "textarea", "svg", "rect", "path", "text", "dialog", "kbd", "datalist",
  ]

  package init(_ html: String) throws {
    var scanner = html.utf8[...]
    var open: [String] = []
    var pre: (id: String, start: Int)?
    func fail(_ text: String) -> Fault {
      Fault(description: "\(text), before: \(String(decoding: scanner.prefix(120), as: UTF8.self))")
    }
    guard html.hasPrefix("<!DOCTYPE html>\n") else { throw fail("no doctype") }
    scanner = scanner.dropFirst("<!DOCTYPE html>\n".utf8.count)
    while let byte = scanner.first {
      guard byte == UInt8(ascii: "<") else {
        let run = scanner.prefix { $0 != UInt8(ascii: "<") }
        guard let decoded = Self.decoded(String(decoding: run, as: UTF8.self)) else { throw fail("a bare & or >") }
        text += decoded
        scanner = scanner.dropFirst(run.count)
        continue
      }
      guard let tag = Self.tag(&scanner) else { throw fail("a tag that cannot be read") }
      guard Self.known.contains(tag.name) else { throw fail("an element <\(tag.name)>") }
      if tag.isEnd {
        guard open.last == tag.name else { throw fail("</\(tag.name)> where \(open.last ?? "nothing") is open") }
        open.removeLast()
        if ["pre", "textarea"].contains(tag.name), let begun = pre {
          preformatted[begun.id] = String(text.utf8.dropFirst(begun.start))
          pre = nil
        }
      } else {
        if let bad = tag.attributes.keys.first(where: {
          $0.lowercased().hasPrefix("on") || $0.lowercased() == "style"
        }) {
          throw fail("attribute \(bad)")
        }
        elements.append(Element(name: tag.name, attributes: tag.attributes))
        if !Self.empty.contains(tag.name) { open.append(tag.name) }
        if ["pre", "textarea"].contains(tag.name), let id = tag.attributes["id"] { pre = (id, text.utf8.count) }
      }
    }
    guard open.isEmpty else { throw fail("\(open) never closed") }
    let ids = elements.compactMap { $0.attributes["id"] }
    if let twice = Dictionary(grouping: ids, by: { $0 }).first(where: { $0.value.count > 1 })?.key {
      throw fail("the id \(twice) twice")
    }
    for element in elements {
      for name in ["for", "aria-labelledby", "aria-describedby"] {
        if let wanted = element.attributes[name], !ids.contains(wanted) { throw fail("\(name)=\(wanted) is nowhere") }
      }
    }
  }

  private struct Tag {
    var name = ""
    var isEnd = false
    var attributes: [String: String] = [:]
  }

  private static func tag(_ scanner: inout Substring.UTF8View) -> Tag? {
    var tag = Tag()
    scanner = scanner.dropFirst()
    if scanner.first == UInt8(ascii: "/") {
      tag.isEnd = true
      scanner = scanner.dropFirst()
    }
    tag.name = word(&scanner)
    guard !tag.name.isEmpty else { return nil }
    while true {
      let blanks = scanner.prefix { $0 == 0x20 || $0 == 0x0A }
      scanner = scanner.dropFirst(blanks.count)
      guard let byte = scanner.first else { return nil }
      if byte == UInt8(ascii: ">") {
        scanner = scanner.dropFirst()
        return tag
      }
      guard !blanks.isEmpty, !tag.isEnd else { return nil }
      let name = word(&scanner)
      guard !name.isEmpty, tag.attributes[name] == nil else { return nil }
      var value = ""
      if scanner.starts(with: "=\"".utf8) {
        scanner = scanner.dropFirst(2)
        let run = scanner.prefix { $0 != UInt8(ascii: "\"") }
        guard run.count < scanner.count, !run.contains(UInt8(ascii: "<")),
          let decoded = decoded(String(decoding: run, as: UTF8.self))
        else { return nil }
        value = decoded
        scanner = scanner.dropFirst(run.count + 1)
      }
      tag.attributes[name] = value
    }
  }

  private static func word(_ scanner: inout Substring.UTF8View) -> String {
    // Attributes of SVG have capital letters.
    let run = scanner.prefix {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
    scanner = scanner.dropFirst(run.count)
    return String(decoding: run, as: UTF8.self)
  }

  /// Returns nil if the text has a bare `>`, or an `&` that begins none of the five character references.
  private static func decoded(_ text: String) -> String? {
    var result: [UInt8] = []
    var rest = text.utf8[...]
    let references = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'")]
    while let byte = rest.first {
      if byte == UInt8(ascii: "&") {
        guard let (reference, character) = references.first(where: { rest.starts(with: $0.0.utf8) }) else { return nil }
        result += character.utf8
        rest = rest.dropFirst(reference.utf8.count)
      } else {
        guard byte != UInt8(ascii: ">") else { return nil }
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension HTMLCheck {
  /// The forms of the page with this action, by their ids: the fields that a browser sends if nothing is typed.
  package func forms(to action: String) -> [String: [(name: String, value: String)]] {
    var calls: [String: [(name: String, value: String)]] = [:]
    var (form, selected): (String?, String?)
    for element in elements {
      let attributes = element.attributes
      switch element.name {
      case "form":
        form = attributes["action"] == action ? attributes["id"] : nil
        if let form { calls[form] = [] }
      case "input":
        guard let form, let name = attributes["name"] else { continue }
        if attributes["type"] != "checkbox" || attributes["checked"] != nil {
          calls[form]?.append((name, attributes["value"] ?? ""))
        }
      case "textarea":
        guard let form, let name = attributes["name"], let id = attributes["id"] else { continue }
        let text = preformatted[id] ?? ""
        // A browser leaves out the first newline.
        calls[form]?.append((name, text.hasPrefix("\n") ? String(text.dropFirst()) : text))
      case "select":
        selected = attributes["name"]
        if let form, let selected { calls[form]?.append((selected, "")) }
      case "option":
        // The first, unless another is selected.
        guard let form, let selected, let last = calls[form]?.indices.last else { continue }
        if calls[form]?[last].value == "" || attributes["selected"] != nil {
          calls[form]?[last] = (selected, attributes["value"] ?? "")
        }
      default: continue
      }
    }
    return calls
  }
}
