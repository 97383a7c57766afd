import Foundation

/// A member of a call's body, and how a page asks for it.
struct ControlField: Sendable {
  /// How the value is asked for.
  enum Input: Sendable {
    /// It is not: it goes along as it is.
    case constant
    /// It is not: it is a UUID that names the request, so that sending it again is no second one. The script makes another once it
    /// was answered.
    case requestName
    case line
    /// A line for a number.
    case number
    /// A line with these under it to press.
    case suggestions([String])
    case choice([Choice])
    /// Its text is `true` or `false`.
    case check
    /// Any of these; the text has those that are chosen, with spaces between them.
    case checks([Choice])
  }

  /// One of several values.
  struct Choice: Sendable {
    let value: String
    let title: String

    init(_ value: String, _ title: String? = nil) {
      self.value = value
      self.title = title ?? value
    }
  }

  /// Such as `quantity`, or `scope.customer` for a member of a member.
  let name: String
  let kind: FieldKind
  /// What the form begins with.
  let text: String
  let label: String
  let hint: String?
  let input: Input
  let isRequired: Bool
  /// The value of another field with which this one is there at all: `kind=outage`. Otherwise it is neither shown nor sent.
  let condition: Condition?

  struct Condition: Sendable {
    let name: String
    let values: [String]
  }

  init(
    _ name: String, _ kind: FieldKind, _ label: String, text: String = "", input: Input = .line, hint: String? = nil,
    isRequired: Bool = false, when condition: Condition? = nil
  ) {
    self.name = name
    self.kind = kind
    self.text = text
    self.label = label
    self.hint = hint
    self.input = input
    self.isRequired = isRequired
    self.condition = condition
  }

  /// A member that the page fixes.
  static func constant(_ name: String, _ kind: FieldKind, _ text: String) -> ControlField {
    ControlField(name, kind, "", text: text, input: .constant)
  }

  /// A name of the request, which no other has.
  static func requestName(_ name: String) -> ControlField {
    ControlField(name, .text, "", text: UUID().uuidString.lowercased(), input: .requestName)
  }

  /// An object that is there also if it has no members.
  static func object(_ name: String) -> ControlField { constant(name, .object, "") }
}
