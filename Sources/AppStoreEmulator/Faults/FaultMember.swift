import StoreModel

/// A member that a kind of fault has in JSON, described once for the API's description, the console's form and the command line.
public struct FaultMember: Sendable {
  /// The value's type, and how a form asks for it.
  public enum Value: Sendable {
    /// An integer, within bounds where they are one range.
    case integer(ClosedRange<Int64>?)
    /// A span of time, in JSON an integer of milliseconds from 1 to this.
    case milliseconds(atMost: Int64)
    case flag
    /// One of these words. The first is the default.
    case choice([Choice])
    /// An ``AppError``.
    case appError
  }

  /// A word of a choice.
  public struct Choice: Sendable {
    public let value: String
    /// What it means, in a few words for people.
    public let title: String

    public init(_ value: String, _ title: String) {
      self.value = value
      self.title = title
    }
  }

  /// Its name in JSON, such as `httpStatus`.
  public let name: String
  public let value: Value
  /// The label of a form.
  public let title: String
  /// What it means, with its range, in a sentence without the kind's name.
  public let summary: String
  /// A value as it is typed; what a form begins with where the member is required.
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
