import Foundation

/// A form on a device's page, as a browser without JavaScript sends it.
///
/// Reads only the HTML of this project's own pages: attribute values are in double quotes.
struct PageForm: Hashable, Sendable {
  /// A button of the form.
  struct Button: Hashable, Sendable {
    /// The name that the button's value is sent under; nil if the button has none.
    let name: String?
    let value: String
    /// The id of the element; nil if it has none.
    let id: String?
    let isEnabled: Bool
  }

  let action: String
  /// The hidden fields.
  let hidden: [String: String]
  let buttons: [Button]

  /// Returns the forms of a page.
  static func all(in page: String) -> [PageForm] {
    page.components(separatedBy: "<form ").dropFirst().map { rest in
      let tags = "form \(rest)".components(separatedBy: "</form>")[0].components(separatedBy: "<").map(Tag.init)
      let hidden = tags.filter { $0.name == "input" && $0["type"] == "hidden" }
      return PageForm(
        action: tags[0]["action"] ?? "",
        hidden: Dictionary(hidden.map { ($0["name"] ?? "", $0["value"] ?? "") }, uniquingKeysWith: { $1 }),
        buttons: tags.filter { $0.name == "button" }.map { tag in
          Button(name: tag["name"], value: tag["value"] ?? "", id: tag["id"], isEnabled: !tag.has("disabled"))
        })
    }
  }

  /// Returns the button of this form that is meant; nil if the form does not have it.
  func button(_ meant: DeviceButton) -> Button? {
    guard action == meant.action, meant.product == nil || hidden["product"] == meant.product else { return nil }
    return buttons.first { meant.value == nil || $0.value == meant.value }
  }

  /// A start tag, without its `<`.
  private struct Tag {
    private let text: Substring

    init(_ text: String) { self.text = text.prefix { $0 != ">" } }

    var name: Substring { text.prefix { $0.isLetter } }

    subscript(_ attribute: String) -> String? {
      text.range(of: " \(attribute)=\"").map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    /// Whether the tag has an attribute without a value.
    func has(_ attribute: String) -> Bool { text.split(separator: " ").contains { $0 == attribute } }
  }
}
