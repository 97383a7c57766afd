import Foundation

/// Which keys a JSON document may have, and where. A misspelt key would otherwise be passed over, and what it was to say
/// be lost.
package indirect enum JSONKeys: Sendable {
  /// Anything, with any keys.
  case anything
  /// An object with these keys and no other.
  case object([String: JSONKeys])
  /// A list, all of whose elements are alike.
  case list(JSONKeys)
  /// An object whose keys are not fixed, and whose values are alike.
  case map(JSONKeys)

  /// What is not known in `value`, in a sentence; nil if everything is. What is of another kind altogether is not
  /// looked at: it cannot be decoded.
  package func fault(in value: Any, at path: String = "") -> String? {
    switch self {
    case .anything: return nil
    case .object(let known):
      guard let object = value as? [String: Any] else { return nil }
      if let unknown = object.keys.filter({ known[$0] == nil }).min() {
        let place = path.isEmpty ? "" : " in \(path)"
        return
          "\(unknown.prefix(80)) is not known here\(place); there are \(known.keys.sorted().joined(separator: ", "))."
      }
      return known.sorted { $0.key < $1.key }.lazy.compactMap { key, keys in
        object[key].flatMap { keys.fault(in: $0, at: path.isEmpty ? key : "\(path).\(key)") }
      }.first
    case .list(let keys):
      guard let list = value as? [Any] else { return nil }
      return list.enumerated().lazy.compactMap { keys.fault(in: $1, at: "\(path)[\($0)]") }.first
    case .map(let keys):
      guard let object = value as? [String: Any] else { return nil }
      return object.sorted { $0.key < $1.key }.lazy.compactMap { keys.fault(in: $1, at: "\(path).\($0.prefix(80))") }
        .first
    }
  }

  /// Whether a text in `value` has the character U+0000, which no database keeps.
  package static func hasNull(_ value: Any) -> Bool {
    switch value {
    case let text as String: text.utf8.contains(0)
    case let object as [String: Any]: object.contains { $0.utf8.contains(0) || hasNull($1) }
    case let list as [Any]: list.contains { hasNull($0) }
    default: false
    }
  }
}

extension JSONKeys {
  /// The keys that a schema's members have.
  package init(_ schema: JSONSchema, in components: SchemaComponents) {
    switch components.resolved(schema).shape {
    case .object(let members):
      self = .object(
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, JSONKeys($0.schema, in: components)) }))
    case .array(let items): self = .list(JSONKeys(items, in: components))
    case .dictionary(let values): self = .map(JSONKeys(values, in: components))
    default: self = .anything
    }
  }
}
