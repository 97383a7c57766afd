/// A part of an API's OpenAPI description.
///
/// Both properties are members of a JSON object, without braces around them and without a comma at the end.
package protocol DescribedSubject {
  /// Members of `paths`.
  static var paths: String { get }
  /// Members of `components.schemas`. May be empty.
  static var schemas: String { get }
}

/// Joins the parts of a description.
package enum DescribedMembers {
  /// Joins the members of several parts to those of one object.
  package static func joined(_ members: [String], indentation: Int) -> String {
    members.filter { !$0.isEmpty }.joined(separator: ",\n")
      .replacing("\n", with: "\n" + String(repeating: " ", count: indentation))
  }
}
