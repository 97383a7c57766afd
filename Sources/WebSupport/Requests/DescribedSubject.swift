/// One subject of a door, as its OpenAPI description has it.
///
/// Both are the members of a JSON object, without its braces and without a comma at the end.
package protocol DescribedSubject {
  /// Members of the description's `paths`.
  static var paths: String { get }
  /// Members of `components.schemas`. May be empty.
  static var schemas: String { get }
}

/// Puts the parts of a description together.
package enum DescribedMembers {
  /// The members of several parts as those of one object.
  package static func joined(_ members: [String], indentation: Int) -> String {
    members.filter { !$0.isEmpty }.joined(separator: ",\n")
      .replacing("\n", with: "\n" + String(repeating: " ", count: indentation))
  }
}
