import StoreModel

/// The description of a JSON member of a fault, for the OpenAPI document, the console's form and the command line.
public struct FaultMember: Sendable {
  /// The type of the value. It decides which input a form shows.
  public enum Value: Sendable {
    /// An integer in this range; nil if the valid values are not one range.
    case integer(ClosedRange<Int64>?)
    /// A duration; in JSON, an integer of milliseconds from 1 to this maximum.
    case milliseconds(atMost: Int64)
    case flag
    /// One of these values. The first is the default.
    case choice([Choice])
    /// An ``AppError``.
    case appError
  }

  /// A value of ``FaultMember/Value/choice(_:)``.
  public struct Choice: Sendable {
    public let value: String
    /// Its meaning, in a few words.
    public let title: String

    public init(_ value: String, _ title: String) {
      self.value = value
      self.title = title
    }
  }

  /// Its name in JSON, such as `httpStatus`. No other kind has a member of this name.
  public let name: String
  public let value: Value
  /// The label in a form.
  public let title: String
  /// Its meaning and range, as a sentence without the kind's name.
  public let summary: String
  /// A value as a person types it. A form starts with it if the member is required.
  public let example: String?
  public let isRequired: Bool

  public init(
    _ name: String, _ value: Value, _ title: String, summary: String, example: String? = nil, isRequired: Bool = false
  ) {
    self.name = name
    self.value = value
    self.title = title
    self.summary = summary
    self.example = example
    self.isRequired = isRequired
  }
}
