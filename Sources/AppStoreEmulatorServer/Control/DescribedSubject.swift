/// One subject of the control door, as its description has it.
///
/// Both are the members of a JSON object, without its braces and without a comma at the end.
protocol DescribedSubject {
  /// Members of the description's `paths`. An operation's example lies with the tests.
  static var paths: String { get }
  /// Members of `components.schemas`. May be empty.
  static var schemas: String { get }
}
