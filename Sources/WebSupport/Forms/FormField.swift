import Foundation

/// A member of a call's body, and its input in a form.
package struct FormField: Sendable {
  /// The kind of input.
  package enum Input: Sendable {
    /// No input: the value is fixed.
    case constant
    /// No input: the value is a UUID that identifies the request, so that sending the form twice has no second effect.
    /// The page gets a new UUID each time it is made.
    case requestName
    case line
    /// A text field of several lines.
    case lines
    /// A text field for a number.
    case number
    /// A text field, with buttons for these values below it.
    case suggestions([String])
    /// A text field that suggests names. Any other text can be typed as well.
    case names(NameList)
    case choice([Choice])
    /// A checkbox. The text is `true` or `false`.
    case check
    /// A checkbox for each of these values. The text contains the chosen values, separated by spaces.
    case checks([Choice])
  }

  /// A value of a choice, and its title.
  package struct Choice: Sendable {
    package let value: String
    package let title: String

    package init(_ value: String, _ title: String? = nil) {
      self.value = value
      self.title = title ?? value
    }
  }

  /// The name of the member, such as `quantity`, or `scope.customer` for a nested member.
  package let name: String
  package let kind: FieldKind
  /// The initial value.
  package let text: String
  package let label: String
  package let hint: String?
  package let input: Input
  package let isRequired: Bool
  /// The condition for showing and sending the field: another field has one of these values. Nil if there is no
  /// condition.
  package let condition: Condition?

  package struct Condition: Sendable {
    package let name: String
    package let values: [String]

    package init(name: String, values: [String]) {
      self.name = name
      self.values = values
    }
  }

  package init(
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

  /// The name of the field in a form: the member, its kind and its condition, such as
  /// `status:number:kind=receiptStatus`.
  package var formName: String {
    let condition = condition.map { ":\($0.name)=\($0.values.joined(separator: " "))" } ?? ""
    return "\(name):\(kind.rawValue)\(condition)"
  }

  /// The largest number of parts of a member's name.
  private static let deepest = 8

  /// Decodes a field of a form that was sent. Returns nil if `formName` is not the name of a field.
  init?(formName: String, text: String) {
    let parts = formName.split(separator: ":", maxSplits: 2).map(String.init)
    guard parts.count >= 2, let kind = FieldKind(rawValue: parts[1]) else { return nil }
    // The body is built by recursion over the parts of the name.
    guard parts[0].count(where: { $0 == "." }) < Self.deepest else { return nil }
    var condition: Condition?
    if parts.count == 3 {
      let sides = parts[2].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2 else { return nil }
      condition = Condition(name: sides[0], values: sides[1].split(separator: " ").map(String.init))
    }
    self.init(parts[0], kind, "", text: text, when: condition)
  }

  /// A member with a fixed value.
  package static func constant(_ name: String, _ kind: FieldKind, _ text: String) -> FormField {
    FormField(name, kind, "", text: text, input: .constant)
  }

  /// A member with a new UUID, which identifies the request.
  package static func requestName(_ name: String) -> FormField {
    FormField(name, .text, "", text: UUID().uuidString.lowercased(), input: .requestName)
  }

  /// An object that is sent even if it has no members.
  package static func object(_ name: String) -> FormField { constant(name, .object, "") }
}
