import Foundation

/// A member of a call's body, and its input in a form.
struct ControlField: Sendable {
  /// The kind of input.
  enum Input: Sendable {
    /// No input: the value is fixed.
    case constant
    /// No input: the value is a UUID that identifies the request, so that sending the form twice has no second effect.
    /// The page gets a new UUID each time it is made.
    case requestName
    case line
    /// A text field for a number.
    case number
    /// A text field, with buttons for these values below it.
    case suggestions([String])
    /// A text field that suggests names which the store knows, such as those of its customers. Any other text can be typed as well.
    case names(KnownNames.List)
    case choice([Choice])
    /// A checkbox. The text is `true` or `false`.
    case check
    /// A checkbox for each of these values. The text contains the chosen values, separated by spaces.
    case checks([Choice])
  }

  /// A value of a choice, and its title.
  struct Choice: Sendable {
    let value: String
    let title: String

    init(_ value: String, _ title: String? = nil) {
      self.value = value
      self.title = title ?? value
    }
  }

  /// The name of the member, such as `quantity`, or `scope.customer` for a nested member.
  let name: String
  let kind: FieldKind
  /// The initial value.
  let text: String
  let label: String
  let hint: String?
  let input: Input
  let isRequired: Bool
  /// The condition for showing and sending the field: another field has one of these values. Nil if there is no
  /// condition.
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

  /// The name of the field in a form: the member, its kind and its condition, such as
  /// `status:number:kind=receiptStatus`.
  var formName: String {
    let condition = condition.map { ":\($0.name)=\($0.values.joined(separator: " "))" } ?? ""
    return "\(name):\(kind.rawValue)\(condition)"
  }

  /// Decodes a field of a form that was sent. Returns nil if `formName` is not the name of a field.
  init?(formName: String, text: String) {
    let parts = formName.split(separator: ":", maxSplits: 2).map(String.init)
    guard parts.count >= 2, let kind = FieldKind(rawValue: parts[1]) else { return nil }
    var condition: Condition?
    if parts.count == 3 {
      let sides = parts[2].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2 else { return nil }
      condition = Condition(name: sides[0], values: sides[1].split(separator: " ").map(String.init))
    }
    self.init(parts[0], kind, "", text: text, when: condition)
  }

  /// A member with a fixed value.
  static func constant(_ name: String, _ kind: FieldKind, _ text: String) -> ControlField {
    ControlField(name, kind, "", text: text, input: .constant)
  }

  /// A member with a new UUID, which identifies the request.
  static func requestName(_ name: String) -> ControlField {
    ControlField(name, .text, "", text: UUID().uuidString.lowercased(), input: .requestName)
  }

  /// An object that is sent even if it has no members.
  static func object(_ name: String) -> ControlField { constant(name, .object, "") }
}
