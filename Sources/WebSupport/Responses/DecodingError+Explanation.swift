extension DecodingError {
  /// A sentence with the position of the value and the problem with it.
  package var explanation: String {
    switch self {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let wanted = Self.jsonType(type).map { "\($0) is expected." }
      return place(context) + (wanted ?? context.debugDescription)
    case .dataCorrupted(let context): return place(context) + context.debugDescription
    case .keyNotFound(let key, let context):
      return "\(key.stringValue) is missing\(context.codingPath.isEmpty ? "" : " in \(path(context))")."
    @unknown default: return "\(self)"
    }
  }

  private func place(_ context: Context) -> String { context.codingPath.isEmpty ? "" : "\(path(context)): " }

  private func path(_ context: Context) -> String { context.codingPath.map(\.stringValue).joined(separator: ".") }

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
