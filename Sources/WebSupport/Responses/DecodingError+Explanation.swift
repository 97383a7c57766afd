extension DecodingError {
  /// A sentence with the position of the value and the problem with it, for the sender of the document. It does not name Swift
  /// types.
  package var explanation: String {
    switch self {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return place(context) + "\(Self.jsonType(type) ?? "another kind of value") is expected."
    case .dataCorrupted(let context): return place(context) + Self.problem(context.debugDescription)
    case .keyNotFound(let key, let context):
      return "\(key.stringValue) is missing\(context.codingPath.isEmpty ? "" : " in \(path(context))")."
    @unknown default: return "It cannot be read."
    }
  }

  /// The path of the value, such as `scope.customer`; nil for the whole document.
  var member: String? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      context.codingPath.isEmpty ? nil : path(context)
    case .keyNotFound(let key, let context): (context.codingPath + [key]).map(\.stringValue).joined(separator: ".")
    @unknown default: nil
    }
  }

  private func place(_ context: Context) -> String { context.codingPath.isEmpty ? "" : "\(path(context)): " }

  private func path(_ context: Context) -> String { context.codingPath.map(\.stringValue).joined(separator: ".") }

  /// Returns what is wrong with a value. Types of this package describe that themselves; the standard library and Foundation name
  /// Swift types, so their sentences are replaced.
  private static func problem(_ description: String) -> String {
    if let match = description.wholeMatch(of: /(?s)Cannot initialize \S+ from invalid \S+ value (?<value>.*)/) {
      return "\(match.value.prefix(80)) is not allowed."
    }
    if description.hasPrefix("Attempted to decode UUID") { return "a UUID is expected." }
    if description.hasPrefix("Invalid URL") { return "a URL is expected." }
    if description.hasPrefix("The given data was not valid JSON") { return "It is not valid JSON." }
    return description
  }

  /// The expected JSON type; nil if it is not one of JSON's own types.
  private static func jsonType(_ type: any Any.Type) -> String? {
    switch type {
    case is any FixedWidthInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: nil
    }
  }
}
