import Foundation

/// Validates JSON against a schema of an OpenAPI 3.1 document. Supports the keywords that this package's descriptions use.
package struct SchemaCheck {
  private let document: [String: Any]

  /// - Parameter document: the document that references are resolved in.
  package init(document: [String: Any]) { self.document = document }

  /// Returns the differences from the schema, each with its path; empty if the value matches.
  ///
  /// A member that the schema does not name is a difference too: the description must be complete.
  package func faults(_ value: Any, _ schema: [String: Any], at place: String = "$") -> [String] {
    if let reference = schema["$ref"] as? String {
      guard let target = resolve(reference) else { return ["\(place): \(reference) is not defined"] }
      return faults(value, target, at: place)
    }
    let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
    guard types.isEmpty || types.contains(where: { isOf($0, value) }) else {
      return ["\(place): \(value) is not \(types.joined(separator: " or "))"]
    }
    if let values = schema["enum"] as? [String], !values.contains(where: { $0 == value as? String }) {
      return ["\(place): \(value) is not one of \(values)"]
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      return ["\(place): \(text) does not match \(pattern)"]
    }
    if let object = value as? [String: Any] { return members(object, schema, at: place) }
    if let elements = value as? [Any], let items = schema["items"] as? [String: Any] {
      return elements.enumerated().flatMap { faults($1, items, at: "\(place)[\($0)]") }
    }
    return []
  }

  private func members(_ object: [String: Any], _ schema: [String: Any], at place: String) -> [String] {
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    let others = schema["additionalProperties"]
    let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map {
      "\(place): \($0) is missing"
    }
    return missing
      + object.flatMap { name, value -> [String] in
        if let property = properties[name] ?? others as? [String: Any] {
          return faults(value, property, at: "\(place).\(name)")
        }
        return others as? Bool == true ? [] : ["\(place): \(name) is not described"]
      }
  }

  /// Returns the object that a reference points to; nil if the document has no such object.
  package func resolve(_ reference: String) -> [String: Any]? {
    guard reference.hasPrefix("#/") else { return nil }
    var current: Any? = document
    for part in reference.dropFirst(2).split(separator: "/") { current = (current as? [String: Any])?[String(part)] }
    return current as? [String: Any]
  }

  private func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": value is Bool
    case "number": value is NSNumber
    case "null": value is NSNull
    case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
    default: false
    }
  }
}
