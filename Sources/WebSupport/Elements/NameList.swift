/// Names that text fields suggest, such as those of customers. A page contains each list once.
package struct NameList: Hashable, Sendable {
  private let id: String

  /// - Parameter name: unique on the page; of ASCII letters.
  package init(_ name: String) { id = "known-\(name)" }

  /// The attribute of an input that suggests the names.
  package var attribute: HTML { " list=\"\(id)\"" }

  /// - Parameter options: the `<option>` elements.
  package func html(_ options: [HTML]) -> HTML { "<datalist id=\"\(id)\">\(options)</datalist>" }
}
